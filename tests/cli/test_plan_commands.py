"""What `plan` prints, and what in the code is a reason to run again."""

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from flows.cli.app import app
from process_support import run_python
from situatedgen.presets import load
from situatedgen.runtime import Runtime
from situatedgen.sources import sample_folder
from storage import builds, keys
from storage.plain import build
from storage.plan.planner import Status, Step, plan, summary
from storage.requests import BuildRequest
from storage.store import Store
from store_support import ARTIFACTS

HEAVY = {"torch", "flair", "spacy", "sentence_transformers", "transformers", "igraph", "prefect"}
OWN = '''
from situatedgen.models.fakes import FakeTagger


class Tagger(FakeTagger):
    def tag(self, texts):
        """What stands where."""
        return [kept(found) for found in FakeTagger.tag(self, texts)]


def kept(found):
    return found  # all of them
'''
TAGGER = "entities.tagger.name=own_tagger:Tagger"


@pytest.fixture
def store(tiny: Any, tmp_path: Path) -> Store:
    """A store of one's own with the tiny build of the sample in it."""
    shutil.copytree(tiny.store.root, tmp_path / "store")
    return Store(tmp_path / "store")


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Write the module `own_tagger`, as if it had been edited since it was last looked at."""
    folder = tmp_path / "own"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)

    def write(text: str) -> None:
        (folder / "own_tagger.py").write_text(text, encoding="utf-8")
        sys.modules.pop("own_tagger", None)
        keys.clear_caches()

    return write


def made(store: Store, order: BuildRequest) -> dict[str, tuple[str, ...]]:
    """The reasons of the artifacts that are not cached."""
    return {step.artifact: step.reasons for step in plan(order, store) if step.status is not Status.CACHED}


def test_only_code_that_matters_is_a_reason(store: Store, own: Callable[[str], None]) -> None:
    own(OWN)
    order = BuildRequest(load("tiny", (TAGGER,)), sample_folder())
    assert made(store, order)["entities"] == ("model of tagger: fake → own_tagger:Tagger",)
    build(order, store, Runtime())
    own(OWN.replace("# all of them", "# every one"))
    assert made(store, order) == {}
    own(OWN.replace("return found", "return found[:1]"))
    found = made(store, order)
    assert next(iter(found)) == "entities"
    assert found["entities"] == ("code of tagger own_tagger:Tagger: own_tagger.py kept changed",)


def test_a_plan_imports_no_model_library(store: Store) -> None:
    script = (
        "import sys; from flows.cli.app import app\n"
        f"app(['plan', '--json', '--store', {str(store.root)!r}],"
        " standalone_mode=False)\n"
        f"print('LOADED', sorted({HEAVY!r} & set(sys.modules)))"
    )
    assert run_python("-c", script).stdout.splitlines()[-1] == "LOADED []"


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments, catch_exceptions=False, env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    return result.output


def test_the_command_prints_the_plan(store: Store) -> None:
    options = ("--preset", "tiny", "--store", str(store.root), "--out", str(store.root.parent / "none"))
    assert run("plan", *options).splitlines()[-1] == f"nothing to compute: all {ARTIFACTS} artifacts are cached"
    told = json.loads(run("plan", *options, "--set", "pairs.min_similarity=0.95", "--json"))
    assert [each["artifact"] for each in told] == [outcome.ref.name for outcome in builds.latest(store).outcomes]
    assert told[16] == {
        "artifact": "pairs",
        "status": "run",
        "rows": None,
        "of": None,
        "up_to": False,
        "reasons": ["params.min_similarity 0.8 → 0.95"],
    }


def test_a_plan_says_what_a_language_model_would_be_asked(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each pair in both orders: two calls a question."""
    monkeypatch.setenv("SITUATEDGEN_LLM_PRICE_IN", "2")
    monkeypatch.setenv("SITUATEDGEN_LLM_PRICE_OUT", "8")
    options = ("--preset", "tiny", "--store", str(store.root), "--out", str(store.root.parent / "none"), "--json")
    chosen = ("--set", "judged.judge.name=llm", "--set", "judged.judge.weights=small")
    steps = {each["artifact"]: each for each in json.loads(run("plan", *options, *chosen))}
    asked = steps["judged"]["rows"]
    calls = 2 * asked
    assert asked > 0
    assert steps["judged"]["reasons"][-1].startswith(f"makes {calls:,} calls, about ")
    assert ", cost " in steps["judged"]["reasons"][-1]


def test_a_dataset_to_follow_is_part_of_the_plan(store: Store, tiny: Any) -> None:
    options = ("--preset", "tiny", "--store", str(store.root), "--json")
    told = json.loads(run("plan", *options, "--stable-with", str(tiny.out)))
    statements = len(
        {name for row in builds.read_build_table(tiny.store, tiny.build, "examples")["ids"] for name in row}
    )
    changed = {each["artifact"]: each["reasons"] for each in told if each["status"] != "cached"}
    assert changed["splits"][0] == f"input precedent: +{statements:,} rows"


@pytest.mark.parametrize(
    ("steps", "told"),
    [
        ([Step("a", Status.CACHED)], "nothing to compute: all 1 artifacts are cached"),
        ([Step("a", Status.RUN, 3, 3)], "1 of 1 artifacts to compute, no model answers"),  # rows, not answers
        (
            [Step("a", Status.CACHED), Step("b", Status.PARTIAL, 1_200, 9_000, asks=True)],
            "1 of 2 artifacts to compute, 1,200 model answers",
        ),
        (
            [Step("a", Status.RUN, 5, 5, asks=True), Step("b", Status.RUN, 7, 7, up_to=True, asks=True)],
            "2 of 2 artifacts to compute, up to 12 model answers",
        ),
        (
            [Step("a", Status.RUN, 5, 5, asks=True), Step("b", Status.RUN, None, None, asks=True)],
            "2 of 2 artifacts to compute, at least 5 model answers",
        ),
    ],
)
def test_the_summary_counts_artifacts_and_answers(steps: list[Step], told: str) -> None:
    assert summary(steps) == told
