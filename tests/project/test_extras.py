"""Without the extras everything runs that does not need them; what does says which one to install."""

import os
from pathlib import Path

import pytest

from process_support import run_python

EXTRAS = ("accelerate", "bert_score", "dask", "distributed", "obstore", "openai", "prefect_dask", "pycocoevalcap")

HIDING = """
import sys

class Hiding:
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, *place):
        return None if name.partition(".")[0] in HIDDEN else self.finder.find_spec(name, *place)

    def __getattr__(self, name):
        return getattr(self.finder, name)

sys.meta_path[:] = [Hiding(finder) for finder in sys.meta_path]
"""


def without(packages: tuple[str, ...], code: str, folder: Path) -> str:
    """What a fresh Python prints to which some packages are not installed."""
    java = folder / "java"
    java.write_text("#!/bin/sh\n", encoding="utf-8")
    java.chmod(0o755)
    path = os.pathsep.join([str(folder), os.environ["PATH"]])
    script = f"HIDDEN = {packages!r}\n{HIDING}\n{code}"
    return run_python("-W", "ignore", "-c", script, cwd=folder, env={**os.environ, "PATH": path}).stdout.strip()


ABSENCE = "from situatedgen.evaluation.metrics import METRICS, Settings; print(METRICS[{!r}].absence(Settings()))"
DASK = """
from situatedgen.errors import SettingsError
from situatedgen.runtime import Runtime
from tasks.runners import runner_for
try:
    runner_for(Runtime(runner="dask"))
except SettingsError as error:
    print(error)
"""
TRAINING = """
from pathlib import Path
from situatedgen.errors import SettingsError
from situatedgen.training.train import train
try:
    train("t5", Path("dataset"), Path("out"))
except SettingsError as error:
    print(error)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("package", "code", "message"),
    [
        ("bert_score", ABSENCE.format("BERTScore"), "it needs bert-score: pip install 'situatedgen[scores]'"),
        ("pycocoevalcap", ABSENCE.format("METEOR"), "it needs pycocoevalcap: pip install 'situatedgen[scores]'"),
        ("accelerate", TRAINING, "training needs accelerate: pip install 'situatedgen[train]'"),
        ("prefect_dask", DASK, "the Dask runner needs prefect-dask: pip install 'situatedgen[cluster]'"),
    ],
)
def test_what_needs_an_extra_names_it(package: str, code: str, message: str, tmp_path: Path) -> None:
    assert without((package,), code, tmp_path) == message


BUILD = """
import typer.main
from typer.testing import CliRunner
from flows.cli.app import app

def commands(command, path):
    yield path
    for name, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, [*path, name])

run = lambda *words: CliRunner().invoke(app, words, catch_exceptions=False).exit_code
helped = {run(*path, "--help") for path in commands(typer.main.get_command(app), [])}
print(helped, run("build", "--plain", "--preset", "tiny", "--store", "store", "--out", "out"))
"""


@pytest.mark.slow
def test_the_core_builds_and_helps_without_any_extra(tmp_path: Path) -> None:
    assert without(EXTRAS, BUILD, tmp_path) == "{0} 0"
    assert (tmp_path / "out" / "data" / "train.jsonl").is_file()
