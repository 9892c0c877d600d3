"""What is read of a command before the command line is there to read it."""

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from flows.cli import building
from flows.cli.app import app
from flows.cli.start import foreseen

SOURCES = Path("tests")
COMMANDS = [
    ("build --sources tests", (SOURCES, ".situatedgen", 0)),
    ("build --plain --sources=tests --store there --json", (SOURCES, "there", 0)),
    ("build --sources tests --preset tiny --set a.b=1 --set=c.d=2", (SOURCES, ".situatedgen", 0)),
    ("build --sources tests --workers 3", (SOURCES, ".situatedgen", 3)),
    ("build --sources tests --runner threads --workers 3", (SOURCES, ".situatedgen", 1)),
    ("build --out there", (None, ".situatedgen", 0)),
]


@pytest.mark.parametrize(("command", "expected"), COMMANDS)
def test_what_is_foreseen_of_a_build_is_what_the_command_reads(
    command: str, expected: tuple[object, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    read: dict[str, Any] = {}

    def stop(store: str, sources: Path | None, workers: int) -> None:
        read.update(store=store, sources=sources, workers=workers)
        raise KeyboardInterrupt

    monkeypatch.setattr(building, "_accompanied", stop)
    CliRunner().invoke(app, command.split())
    found = foreseen(command.split())
    assert found is not None
    assert (found.sources, str(found.store), found.workers) == expected
    assert (read["sources"], read["store"], read["workers"]) == (
        found.sources,
        str(found.store.resolve()),
        found.workers,
    )


@pytest.mark.parametrize("command", ["", "plan --sources tests", "--help", "build --sources", "build --workers many"])
def test_nothing_is_foreseen_of_other_commands_and_of_mistakes(command: str) -> None:
    assert foreseen(command.split()) is None
