"""The shipped sample, built with the models that the lock installs."""

import json
import os
from pathlib import Path

import pytest

from process_support import COMMAND_LINE, run_python

pytestmark = [pytest.mark.slow, pytest.mark.weights]
FILES = ("train.jsonl", "dev.jsonl", "test.jsonl")


def build(folder: Path, *, seed: str, threads: str, batch_size: str) -> None:
    # Half of the time goes to the judge: a higher threshold than the shipped one leaves it a fifth of the pairs.
    options = (
        "--plain",
        "--json",
        "--set",
        "pairs.min_similarity=0.85",
        "--threads",
        threads,
        "--batch-size",
        batch_size,
    )
    done = run_python("-c", COMMAND_LINE, "build", *options, cwd=folder, env={**os.environ, "PYTHONHASHSEED": seed})
    assert done.stderr == ""
    assert json.loads(done.stdout)["out"] == "dataset"


def test_the_sample_gives_a_dataset_that_chance_and_machine_do_not_change(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()
    other.mkdir()
    build(one, seed="1", threads="1", batch_size="64")
    build(other, seed="2", threads="2", batch_size="7")
    data = [[(folder / "dataset" / "data" / name).read_bytes() for name in FILES] for folder in (one, other)]
    assert data[0] == data[1]
    rows = [json.loads(line) for content in data[0] for line in content.splitlines()]
    assert len(rows) >= 150
    assert all(content.strip() for content in data[0])
    assert {row["context"] for row in rows} == {"GEO", "TEMP", "GEO & TEMP"}
    stats = json.loads((one / "dataset" / "stats.json").read_text("utf-8"))
    assert len([size for size in stats["graph"]["sizes"] if size["pairs"]]) >= 8
