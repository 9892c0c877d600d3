"""The plan beside a run: a table artifact that says what the run will do, and costs next to nothing."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.prefect, pytest.mark.slow]
SCRIPT = """
import json, sys
from pathlib import Path
from flows.server import api

with api() as ready:
    from prefect.artifacts import Artifact
    from flows.build_dataset import build_dataset

    ready()
    for run in range(2):
        build_dataset(preset="tiny", store=Path("store"), out=Path(f"out{run}"))
        artifact = Artifact.get("plan")
        print("PLAN", json.dumps([artifact.description, artifact.data]))
"""


def test_the_plan_stands_beside_each_run(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT")}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    told = [json.loads(line.removeprefix("PLAN ")) for line in done.stdout.splitlines() if line.startswith("PLAN ")]
    (first, made), (again, kept) = ((description, json.loads(rows)) for description, rows in told)
    assert first.startswith("19 of 19 artifacts to make, up to ")
    assert {(row["plan"], row["why"]) for row in made} == {("run", "first build here")}
    assert again == "nothing to make: all 19 artifacts are cached"
    assert {row["plan"] for row in kept} == {"cached"}
