"""What Prefect's pages show of a build: a task run an artifact with what came of it, artifacts, and clear failures."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from process_support import run_python
from situatedgen.dataset.card import markdown
from situatedgen.dataset.statistics import from_values
from situatedgen.dataset.tables import funnel_rows, source_rows, split_rows
from situatedgen.pipeline import PIPELINE
from tasks.artifacts import as_table

MODELS = """
from situatedgen.errors import ModelError
from situatedgen.models import fakes


class Broken(fakes.FakeEncoder):
    def encode(self, texts):
        raise ModelError("the encoder has no weights; fetch them")
"""
SCRIPT = """
import json, sys, time
from pathlib import Path
from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import FlowRunFilter
from flows.build_dataset import build_dataset
from storage import batches

batches.SIZE = 20
client = get_client(sync_client=True)


def tasks_of(run):
    for _ in range(6000):
        found = client.read_task_runs(flow_run_filter=FlowRunFilter(id={"any_": [run]}), limit=200)
        # A task run is there a moment before its state.
        if all(task.state and (task.state.is_final() or task.state.name == "NotReady") for task in found):
            return {task.name: [task.state_name, task.state.message] for task in found}
        time.sleep(0.1)
    sys.exit(f"these task runs did not end: {sorted(task.name for task in found)}")


def told(**parameters):
    given = {"sources": Path("few"), "preset": "tiny", "store": Path("store"), "out": Path("out"), **parameters}
    state = build_dataset(**given, return_state=True)
    run = state.state_details.flow_run_id
    for _ in range(600):  # what is done last may be told after the flow has ended
        artifacts = client.read_artifacts(flow_run_filter=FlowRunFilter(id={"any_": [run]}), limit=100)
        if all(each.type != "progress" or each.data == 100 for each in artifacts):
            break
        time.sleep(0.1)
    return {
        "name": client.read_flow_run(run).name,
        "state": [state.name, state.message],
        "tasks": tasks_of(run),
        "artifacts": {each.key: [each.type, each.description, each.data] for each in artifacts},
    }


runs = {"first": told(), "again": told()}
runs["broken"] = told(params={"embeddings": {"encoder": {"name": "own:Broken"}}})
print("TOLD", json.dumps(runs))
"""
ARTIFACTS = [
    name
    for stage in PIPELINE
    for name in ([f"{stage.name}/creak", f"{stage.name}/strategyqa"] if stage.per_source else [stage.name])
]


@pytest.fixture(scope="module")
def runs(
    prefect_server: dict[str, str], few: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, dict[str, Any]]:
    """What Prefect knows of three builds: the first, one with nothing new, and one that fails."""
    folder = tmp_path_factory.mktemp("shown")
    shutil.copytree(few, folder / "few")
    (folder / "own.py").write_text(MODELS, encoding="utf-8")
    done = run_python("-c", SCRIPT, cwd=folder, env=prefect_server)
    told = [line.removeprefix("TOLD ") for line in done.stdout.splitlines() if line.startswith("TOLD ")]
    found: dict[str, dict[str, Any]] = json.loads(told[0])
    return found


@pytest.mark.prefect
@pytest.mark.slow
def test_every_artifact_is_a_task_run_that_is_cached_the_next_time(runs: dict[str, Any]) -> None:
    assert {run["name"] for run in runs.values()} == {"few, tiny → out"}
    assert {runs["again"]["tasks"][name][0] for name in ARTIFACTS} == {"Cached"}
    assert {runs["first"]["tasks"][name][0] for name in ARTIFACTS} == {"Completed"}


@pytest.mark.prefect
@pytest.mark.slow
def test_the_report_and_the_progress_of_model_stages_are_artifacts(runs: dict[str, Any]) -> None:
    kind, words, percent = runs["first"]["artifacts"]["entities-progress"]
    assert (kind, percent) == ("progress", 100.0)
    assert words == "entities: 2 batches"
    artifacts = runs["again"]["artifacts"]
    assert {key: kind for key, (kind, *_) in artifacts.items()} == {
        "plan": "table",
        "table-1": "table",
        "table-2": "table",
        "funnel": "table",
        "dataset": "markdown",
    }
    assert artifacts["plan"][1] == "nothing to compute: all 20 artifacts are cached"
    assert [row["source"] for row in json.loads(artifacts["table-1"][2])] == ["creak", "strategyqa", "total"]
    assert json.loads(artifacts["table-2"][2])[0]["measure"] == "pairs"
    assert [row["stage"] for row in json.loads(artifacts["funnel"][2])][:2] == ["items", "statements"]
    assert "shown" in artifacts["dataset"][2]


@pytest.mark.prefect
@pytest.mark.slow
def test_a_failure_ends_in_words(runs: dict[str, Any]) -> None:
    broken, message = runs["broken"], "the encoder has no weights; fetch them"
    assert broken["state"] == ["Failed", message]
    failed = ["Failed", f"Task run encountered an exception ModelError: {message}"]
    assert broken["tasks"]["embeddings 1 of 1"] == failed
    assert broken["tasks"]["masks"][0] == "Cached"
    assert "leakage" not in broken["tasks"]


def test_tables_hold_what_the_terminal_shows(tiny: Any) -> None:
    told = from_values(json.loads((tiny.out / "stats.json").read_text(encoding="utf-8")))
    for rows_of in (source_rows, funnel_rows, split_rows):
        rows = rows_of(told)
        assert [tuple(row.values()) for row in as_table(rows)] == list(rows.rows)
        assert markdown(rows).count("\n") >= len(rows.rows)
