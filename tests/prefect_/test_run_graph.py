"""Prefect's picture of a build: the arrows between task runs are the pipeline's own, however a run goes."""

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest

from process_support import run_python
from situatedgen.pipeline import EXTERNAL_INPUTS, PIPELINE

pytestmark = [pytest.mark.prefect, pytest.mark.slow]
STAGES = {each.name: each for each in PIPELINE}
# Builds thrice on one store: all is made, all is cached, and one line more; then prints the task runs of each.
BUILDS = """
import json
import sys
import time
from pathlib import Path

from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterId

from flows.build_dataset import build_dataset
from situatedgen.runtime import Runtime
from tasks.runners import runner_for


def runs_of(flow_run):
    chosen = FlowRunFilter(id=FlowRunFilterId(any_=[flow_run]))
    with get_client(sync_client=True) as client:
        for _ in range(600):  # task runs reach the server a little after the flow has ended
            runs = client.read_task_runs(flow_run_filter=chosen, limit=200)
            if "report" in {run.name for run in runs} and all(run.state and run.state.is_final() for run in runs):
                break
            time.sleep(0.2)
    names = {run.id: run.name for run in runs}
    return [
        {
            "name": run.name,
            "state": run.state.name,
            "message": run.state.message,
            "tags": sorted(run.tags),
            "from": sorted({names[one.id] for given in run.task_inputs.values() for one in given}),
        }
        for run in runs
    ]


if __name__ == "__main__":
    sources, runtime = Path(sys.argv[1]).resolve(), Runtime(runner=sys.argv[2], workers=2)
    flow = build_dataset.with_options(task_runner=runner_for(runtime))
    for number in range(int(sys.argv[3])):
        if number == 2:
            with (sources / "creak/train.json").open("a", encoding="utf-8") as lines:
                lines.write(json.dumps({"sentence": "Penguins live in Chile.", "label": "true"}) + chr(10))
        state = flow(sources=sources, preset="tiny", runtime=runtime, return_state=True)
        print(json.dumps(runs_of(state.state_details.flow_run_id)), flush=True)
"""


Runs = list[dict[str, object]]


def run_builds(runner: str, count: int, sources: Path, folder: Path, server: dict[str, str]) -> list[Runs]:
    """The task runs of so many builds: cold, with nothing changed, and with one line more."""
    shutil.copytree(sources, folder / "sources")
    (folder / "builds.py").write_text(BUILDS, encoding="utf-8")
    done = run_python("builds.py", "sources", runner, count, cwd=folder, env=server)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[{")]


@pytest.fixture(scope="module")
def builds(few: Path, prefect_server: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> list[Runs]:
    """The task runs of three builds on threads."""
    return run_builds("threads", 3, few, tmp_path_factory.mktemp("graph"), prefect_server)


def stage_of(name: str) -> str:
    """The stage that a task run makes the artifact of, by its name; a batch of questions makes none."""
    return "" if " of " in name else name.partition("/")[0]


def arrows(runs: Runs) -> dict[str, set[str]]:
    """Which stages each stage depends on, by the arrows between task runs."""
    found: dict[str, set[str]] = {}
    for run in runs:
        if stage_of(run["name"]) in STAGES:
            known = found.setdefault(stage_of(run["name"]), set())
            known |= {stage_of(name) for name in run["from"] if stage_of(name) in STAGES}
    return found


DECLARED = {each.name: set(each.inputs) - set(EXTERNAL_INPUTS) for each in PIPELINE}


def test_the_arrows_are_those_of_the_pipeline_on_every_run(builds: list[Runs]) -> None:
    assert [arrows(runs) for runs in builds] == [DECLARED] * 3


def test_the_arrows_are_the_same_on_a_cluster(few: Path, prefect_server: dict[str, str], tmp_path: Path) -> None:
    cold, cached = run_builds("dask", 2, few, tmp_path, prefect_server)
    assert arrows(cold) == arrows(cached) == DECLARED
    assert [{run["state"] for run in runs if stage_of(run["name"]) in STAGES} for runs in (cold, cached)] == [
        {"Completed"},
        {"Cached"},
    ]


def test_states_say_what_was_reused(builds: list[Runs]) -> None:
    cold, cached, changed = (
        {run["name"]: run["state"] for run in runs if stage_of(run["name"]) in STAGES} for runs in builds
    )
    assert set(cold.values()) == {"Completed"}
    assert set(cached.values()) == {"Cached"}
    assert changed["items/creak"] == "Completed"
    assert changed["items/strategyqa"] == "Cached"
    assert changed["entities"] == "PartiallyCached"


def test_models_are_asked_in_batches_and_a_small_change_makes_one(builds: list[Runs]) -> None:
    batches = [
        Counter(run["name"].split()[0].partition("/")[0] for run in runs if " of " in run["name"]) for runs in builds
    ]
    asked = ("statements", "entities", "keywords", "parses", "embeddings", "judged")
    assert batches[0] == dict.fromkeys(asked, 1)
    assert batches[1] == {}
    assert batches[2] == dict.fromkeys(("entities", "keywords", "parses", "embeddings"), 1)  # a claim, in no new pair
    tags = {tuple(run["tags"]) for runs in builds for run in runs if " of " in run["name"]}
    assert tags == {("model",)}
