"""What Prefect's pages show of a build: a task run an artifact with what came of it, artifacts, and clear failures."""

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from situatedgen.pipeline import PIPELINE
from situatedgen.report.card import markdown
from situatedgen.report.rows import funnel_rows, source_rows, split_rows
from situatedgen.report.statistics import from_values
from storage.artifacts import ArtifactRef
from storage.observers import Nobody
from storage.outcomes import Build, Outcome
from tasks import progressing
from tasks.lineage import drawing, lineage
from tasks.reporting import as_table

MODELS = """
import time

from situatedgen.errors import ModelError
from situatedgen.models import fakes
from situatedgen.progress import advance


class Slow(fakes.FakeTagger):
    def tag(self, texts):
        for _ in range(4):
            time.sleep(0.1)
            advance(len(texts) // 8)
        return super().tag(texts)


class Broken(fakes.FakeEncoder):
    def encode(self, texts):
        raise ModelError("the encoder has no weights; fetch them")
"""
SCRIPT = """
import json, shutil, sys, time
from pathlib import Path
from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import ArtifactFilter, FlowRunFilter
from flows.build_dataset import build_dataset
from tasks import progressing

progressing.EVERY = 0.05
client = get_client(sync_client=True)


def tasks_of(run, count):
    for _ in range(6000):
        found = client.read_task_runs(flow_run_filter=FlowRunFilter(id={"any_": [run]}), limit=200)
        # A task run is there a moment before its state.
        if len(found) == count and all(task.state and task.state.is_final() for task in found):
            return {task.name: [task.state_name, task.state.message] for task in found}
        time.sleep(0.1)
    sys.exit(f"expected {count} task runs, found {sorted(task.name for task in found)}")


def told(count, **parameters):
    given = {"sources": Path("few"), "preset": "tiny", "store": Path("store"), "out": Path("out"), **parameters}
    state = build_dataset(**given, return_state=True)
    run = state.state_details.flow_run_id
    artifacts = client.read_artifacts(flow_run_filter=FlowRunFilter(id={"any_": [run]}), limit=100)
    return {
        "name": client.read_flow_run(run).name,
        "state": [state.name, state.message],
        "tasks": tasks_of(run, count),
        "artifacts": {each.key: [each.type, each.description, each.data] for each in artifacts},
    }


slow = {"entities": {"tagger": {"name": "own:Slow"}}}
whole, broken = map(int, sys.argv[1:])
runs = {"first": told(whole, params=slow), "again": told(whole, params=slow)}
shutil.rmtree("store/prefect")
runs["found"] = told(whole, params=slow)
with Path("few/creak/train.json").open("a") as stream:
    stream.write('{"sentence": "Bees in Norway make honey.", "label": "true"}\\n')
runs["more"] = told(whole, params=slow)
runs["broken"] = told(broken, params={**slow, "embeddings": {"encoder": {"name": "own:Broken"}}})
print("TOLD", json.dumps(runs))
"""


ARTIFACTS = [
    name
    for stage in PIPELINE
    for name in ([f"{stage.name}/creak", f"{stage.name}/strategyqa"] if stage.per_source else [stage.name])
]
TASKS = ["plan", *ARTIFACTS, "dataset folder", "report"]


@pytest.fixture(scope="module")
def runs(
    prefect_server: dict[str, str], few: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, dict[str, Any]]:
    """What Prefect knows of five builds: the first, two with nothing new, one with a new claim, one that fails."""
    folder = tmp_path_factory.mktemp("shown")
    shutil.copytree(few, folder / "few")
    (folder / "own.py").write_text(MODELS, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(len(TASKS)), str(TASKS.index("embeddings") + 1)],
        cwd=folder,
        env={**prefect_server, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
        timeout=1800,
    )
    told = [line.removeprefix("TOLD ") for line in done.stdout.splitlines() if line.startswith("TOLD ")]
    assert told, done.stderr
    found: dict[str, dict[str, Any]] = json.loads(told[0])
    return found


@pytest.mark.prefect
@pytest.mark.slow
def test_every_artifact_is_a_task_run_that_is_cached_the_next_time(runs: dict[str, Any]) -> None:
    """In `found` Prefect's own results are gone, and the store alone knows the artifacts."""
    assert {run["name"] for run in runs.values()} == {"few, tiny → out"}
    for run in ("first", "again", "found", "more"):
        assert sorted(runs[run]["tasks"]) == sorted(TASKS)
    for run in ("again", "found"):
        assert {runs[run]["tasks"][name][0] for name in ARTIFACTS} == {"Cached"}


@pytest.mark.prefect
@pytest.mark.slow
def test_a_new_claim_is_a_partial_hit(runs: dict[str, Any]) -> None:
    tasks = runs["more"]["tasks"]
    assert tasks["entities"] == ["PartiallyCached", "1 of 41 rows computed"]
    assert tasks["items/strategyqa"][0] == "Cached"
    assert tasks["items/creak"][0] == "Completed"
    assert tasks["items/creak"][1].startswith("25 rows made in ")


@pytest.mark.prefect
@pytest.mark.slow
def test_the_report_and_the_progress_of_long_stages_are_artifacts(runs: dict[str, Any]) -> None:
    kind, words, percent = runs["first"]["artifacts"]["progress-entities"]
    assert (kind, percent) == ("progress", 100.0)
    assert words.startswith("entities: ")
    assert "rows made in" in words
    artifacts = runs["again"]["artifacts"]
    assert {key: kind for key, (kind, *_) in artifacts.items()} == {
        "plan": "table",
        "table-1": "table",
        "table-2": "table",
        "funnel": "table",
        "lineage": "markdown",
        "dataset": "markdown",
    }
    assert artifacts["plan"][1] == "nothing to make: all 18 artifacts are cached"
    assert artifacts["lineage"][1] == "18 artifacts, 18 reused"
    assert [row["source"] for row in json.loads(artifacts["table-1"][2])] == ["creak", "strategyqa", "total"]
    assert json.loads(artifacts["table-2"][2])[0]["measure"] == "pairs"
    assert [row["stage"] for row in json.loads(artifacts["funnel"][2])][:2] == ["items", "statements"]
    assert "shown" in artifacts["dataset"][2]


@pytest.mark.prefect
@pytest.mark.slow
def test_a_failure_ends_in_words(runs: dict[str, Any]) -> None:
    broken = runs["broken"]
    assert broken["state"] == ["Failed", "the encoder has no weights; fetch them"]
    assert broken["tasks"]["embeddings"] == [
        "Failed",
        "Task run encountered an exception ModelError: the encoder has no weights; fetch them",
    ]
    assert broken["tasks"]["masks"][0] == "Cached"


def outcome(stage: str, *, rows: int = 10, source: str = "", **more: Any) -> Outcome:
    ref = ArtifactRef(stage=stage, digest="d" * 64, rows=rows, source=source)
    return Outcome(ref=ref, key="k", **{"seconds": 1.25, "reused": False, **more})


def build_of(*outcomes: Outcome, precedent: ArtifactRef | None = None) -> Build:
    return Build(created="now", settings={}, sources="data", outcomes=outcomes, precedent=precedent)


def test_lineage_draws_each_stage_with_its_inputs_and_what_came_of_it() -> None:
    build = build_of(
        outcome("items", source="arc", reused=True, seconds=0),
        outcome("items", source="creak", rows=2_000, computed=2_000),
        outcome("statements", source="arc", reused=True),
        outcome("statements", source="creak", reused=True),
        outcome("entities", rows=7, computed=3, recalled=4),
    )
    assert list(drawing(build))[:-3] == [
        "flowchart TD",
        '  items["items<br/>2,010 rows<br/>partly made in 1.2 s: 2,000 computed"]:::partial',
        '  statements["statements<br/>20 rows<br/>reused"]:::reused',
        "  items --> statements",
        '  entities["entities<br/>7 rows<br/>partly made in 1.2 s: 3 computed"]:::partial',
        "  statements --> entities",
    ]
    assert "| entities | 7 | 3 of 7 rows computed | 1.2 | dddddddddddd |" in lineage(build)


def test_lineage_draws_the_dataset_that_is_followed() -> None:
    followed = ArtifactRef(stage="precedent", digest="p", rows=5)
    lines = list(drawing(build_of(outcome("splits"), precedent=followed)))
    assert '  precedent["earlier dataset<br/>5 statements"]' in lines
    assert "  precedent --> splits" in lines


def test_tables_hold_what_the_terminal_shows(tiny: Any) -> None:
    told = from_values(json.loads((tiny.out / "stats.json").read_text(encoding="utf-8")))
    for rows_of in (source_rows, funnel_rows, split_rows):
        rows = rows_of(told)
        assert [tuple(row.values()) for row in as_table(rows)] == list(rows.rows)
        assert markdown(rows).count("\n") >= len(rows.rows)


@dataclass
class Site:
    """Progress artifacts as a server would keep them."""

    shown: list[tuple[float, str]]
    fails: bool = False

    def create(self, progress: float, *, key: str, description: str) -> UUID:
        assert key == "progress-statements-creak"
        self.update(uuid4(), progress, description=description)
        return uuid4()

    def update(self, artifact: UUID, progress: float, *, description: str) -> None:
        self.shown.append((progress, description))
        if self.fails:
            raise httpx.ConnectError("the server is gone")


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Site:
    found = Site([])
    monkeypatch.setattr(progressing, "create_progress_artifact", found.create)
    monkeypatch.setattr(progressing, "update_progress_artifact", found.update)
    return found


def make(seconds: float, *, rows: int = 100) -> None:
    """Make 100 rows, of which 20 were known, one every so many seconds."""
    now = [0.0]
    observer = progressing.Progressing(Nobody(), clock=lambda: now[0])
    observer.started("statements/creak", rows)
    observer.recalled("statements/creak", 20)
    for _ in range(80):
        now[0] += seconds
        observer.advanced("statements/creak", 1)
    observer.finished(outcome("statements", rows=100, source="creak", computed=80, recalled=20))


def test_progress_tells_rows_rate_and_time_left_at_most_every_two_seconds(site: Site) -> None:
    make(1 / 16)
    assert site.shown == [
        (52.0, "statements/creak: 52 of 100 rows, 16 a second, 3 s left"),
        (84.0, "statements/creak: 84 of 100 rows, 16 a second, 1 s left"),
        (100.0, "statements/creak: 80 of 100 rows computed"),
    ]


def test_a_short_stage_is_not_shown(site: Site) -> None:
    make(0.02)
    assert site.shown == []


def test_progress_guesses_no_end_that_it_cannot_know(site: Site) -> None:
    make(1.0, rows=0)
    assert site.shown[0] == (0.0, "statements/creak: 22 rows, 1 a second")


def test_a_server_that_does_not_answer_stops_no_build(site: Site) -> None:
    site.fails = True
    make(1 / 16)
    assert [percent for percent, _ in site.shown] == [52.0, 84.0]
