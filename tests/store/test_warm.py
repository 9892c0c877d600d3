"""Warm means light: what did not change loads no model, and help loads next to nothing."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from process_support import run_python
from storage.batches import load_model
from storage.store import Store
from store_support import ARTIFACTS, built

MODELS = ("torch", "flair", "spacy", "sentence_transformers", "transformers")
HEAVY = (*MODELS, "igraph", "leidenalg", "matplotlib", "nltk")
COMMAND = """
import sys
from flows.cli.app import app

for arguments in {runs!r}:
    app(arguments, standalone_mode=False)
print("\\nLOADED", sorted(set({heavy!r}) & set(sys.modules)))
"""


def loaded(
    folder: Path, runs: list[list[str]], heavy: tuple[str, ...], environment: dict[str, str] | None = None
) -> tuple[str, str]:
    """Which of the heavy libraries a process has loaded that ran these commands; and all that it printed."""
    script = COMMAND.format(runs=runs, heavy=heavy)
    done = run_python("-c", script, cwd=folder, env=environment)
    return done.stdout.splitlines()[-1], done.stdout + done.stderr


def test_help_loads_next_to_nothing(tmp_path: Path) -> None:
    heavy = ("polars", "numpy", "prefect", "pyarrow", *HEAVY)
    alone = "build stages show funnel trace export diff release verify reproduce cache".split()
    commands = [[], *([name] for name in alone), ["cache", "gc"], ["baseline", "train"]]
    last, printed = loaded(tmp_path, [[*words, "--help"] for words in commands], heavy)
    assert last == "LOADED []"
    assert printed.count("Usage: ") == len(commands)


@pytest.mark.slow
@pytest.mark.weights
def test_a_build_with_nothing_new_to_ask_loads_no_model(few: Path, tmp_path: Path) -> None:
    command = ["build", "--plain", "--preset", "embedded", "--sources", str(few), "--json"]
    cold, _ = loaded(tmp_path, [command], ("torch", "spacy", "sentence_transformers"))
    assert cold == "LOADED ['sentence_transformers', 'spacy', 'torch']"
    warm, printed = loaded(tmp_path, [command], HEAVY)
    assert warm == "LOADED []"
    assert all(artifact["reused"] for artifact in json.loads(printed.splitlines()[0])["artifacts"])
    threshold = [*command, "--set", "pairs.min_similarity=0.85"]
    assert loaded(tmp_path, [threshold], MODELS)[0] == "LOADED []"


@pytest.mark.slow
@pytest.mark.prefect
def test_a_warm_build_through_prefect_loads_no_model(tiny: Any, with_server: dict[str, str], tmp_path: Path) -> None:
    shutil.copytree(tiny.store.root, tmp_path / "store")
    shutil.copytree(tiny.out, tmp_path / "dataset")
    warm, printed = loaded(tmp_path, [["build", "--preset", "tiny", "--store", "store"]], HEAVY, with_server)
    assert warm == "LOADED []"
    assert f"{ARTIFACTS} artifacts, {ARTIFACTS} reused" in printed


LOADING = """
import json
import os

from situatedgen.models import fakes


def note(role):
    with open(os.environ["ASKED"], "a", encoding="utf-8") as stream:
        stream.write(json.dumps([role, ""]) + "\\n")
""" + "".join(
    f"""

class {name}(fakes.Fake{name}):
    def __init__(self, params, runtime):
        note("{name.lower()}")
        super().__init__(params, runtime)
"""
    for name in ("Converter", "Tagger", "Nouns", "Parser", "Encoder")
)


def claim(text: str) -> Callable[[Path], None]:
    def added(sources: Path) -> None:
        with (sources / "creak" / "dev.json").open("a", encoding="utf-8") as stream:
            stream.write(json.dumps({"sentence": text, "label": "true"}) + "\n")

    return added


def question(text: str) -> Callable[[Path], None]:
    def added(sources: Path) -> None:
        path = sources / "strategyqa" / "strategyqa_train.json"
        path.write_text(json.dumps([*json.loads(path.read_text()), {"question": text, "answer": True}]))

    return added


def nothing(sources: Path) -> None:
    """The sources stay as they are."""


@pytest.mark.parametrize(
    ("change", "overrides", "expected"),
    [
        (nothing, (), []),  # all is reused
        (nothing, ("pairs.min_similarity=0.95",), []),  # no stage that asks a model runs
        (nothing, ("statements.min_confidence=0.2",), []),  # a stage runs, and all that it asks is remembered
        (claim("The Japan team plays football."), (), []),  # a text that is known
        (claim("Egypt has many tall mountains."), (), ["tagger", "nouns", "parser"]),  # a new text of a known pattern
        (claim("Nothing is said of any place."), (), ["tagger"]),  # the nouns of what names nothing are not asked
        (claim("Ships reach Egypt in May."), (), ["tagger", "nouns", "parser", "encoder"]),  # a new pattern
        (question("Does the harvest in Egypt begin early?"), (), ["converter", "tagger", "nouns", "parser"]),
        (nothing, ("masks.mask=[MASK]",), ["encoder"]),  # other masked texts, and nothing else
        (nothing, ("entities.tagger.revision=2",), ["tagger"]),  # another model, which answers alike
    ],
)
def test_only_models_that_are_asked_something_new_are_loaded(
    counted: Any,
    few: Path,
    tmp_path: Path,
    change: Callable[[Path], None],
    overrides: tuple[str, ...],
    expected: list[str],
) -> None:
    counted.write(LOADING)
    load_model.cache_clear()
    shutil.copytree(few, tmp_path / "sources")
    store, sources = Store(tmp_path / "store"), tmp_path / "sources"
    built(store, sources, *counted.OVERRIDES)
    assert [role for role, _ in counted.asked()] == ["converter", "tagger", "nouns", "parser", "encoder"]
    change(sources)
    load_model.cache_clear()  # as in a new process
    built(store, sources, *counted.OVERRIDES, *overrides)
    assert [role for role, _ in counted.asked()] == expected
