"""The tiny build as a person last read it; `make record` rewrites it, and the diff is read."""

from pathlib import Path
from typing import Any

import pytest

GOLDEN = Path(__file__).parents[1] / "golden"
LINES = 12


def recorded(out: Path) -> dict[str, str]:
    """What is kept of a build: its statistics, and the first examples of each split."""
    heads = {
        f"{split}.jsonl": "".join(
            (out / "data" / f"{split}.jsonl").read_text("utf-8").splitlines(keepends=True)[:LINES]
        )
        for split in ("train", "dev", "test")
    }
    return {"stats.json": (out / "stats.json").read_text("utf-8"), **heads}


def test_the_tiny_build_is_as_it_was_read(tiny: Any, request: pytest.FixtureRequest) -> None:
    found = recorded(tiny.out)
    if request.config.getoption("--record"):
        GOLDEN.mkdir(exist_ok=True)
        for name, text in found.items():
            (GOLDEN / name).write_text(text, encoding="utf-8")
    assert found == {name: (GOLDEN / name).read_text("utf-8") for name in found}
