"""The flow as people run it: through Prefect, on a server that comes and goes, or on a given one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from store_support import ARTIFACTS

pytestmark = [pytest.mark.prefect, pytest.mark.slow]
FILES = ("train.jsonl", "dev.jsonl", "test.jsonl")


def situatedgen(
    folder: Path, *arguments: str, is_refused: bool = False, **server: str
) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", "from flows.cli.app import main; main()", "build", "--preset", "tiny"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT")}
    return subprocess.run(
        [*command, *arguments],
        cwd=folder,
        env={**environment, **server},
        capture_output=True,
        text=True,
        check=not is_refused,
        timeout=300,
    )


def test_a_build_through_prefect_is_quiet_cached_and_equal_to_a_plain_one(
    with_server: dict[str, str], tmp_path: Path
) -> None:
    """The first on a server of its own, which knows nothing of the second: that runs on another."""
    first = situatedgen(tmp_path, "--out", "one")
    again = situatedgen(tmp_path, "--out", "two", **with_server)
    plain = situatedgen(tmp_path, "--out", "three", "--plain", "--store", "other")
    assert "Traceback" not in first.stderr + again.stderr
    assert "0 reused" in first.stdout
    assert f"{ARTIFACTS} artifacts, {ARTIFACTS} reused" in again.stdout
    assert "made in" not in again.stderr
    data = [[(tmp_path / out / "data" / name).read_bytes() for name in FILES] for out in ("one", "two", "three")]
    assert data[0] == data[1] == data[2]
    assert "reused" in plain.stdout


def test_too_small_a_share_of_valid_pairs_fails_a_build_through_prefect_in_words(
    with_server: dict[str, str], tmp_path: Path
) -> None:
    """Made, and found in the store: the folder is not written either time, and then it is."""
    limit = ("--out", "out", "--min-validity", "0.99")
    for _ in range(2):
        refused = situatedgen(tmp_path, *limit, is_refused=True, **with_server)
        assert refused.returncode == 1
        assert "% of the pairs are valid, but --min-validity requires 99.0 %" in refused.stderr.splitlines()[-1]
        assert "Traceback" not in refused.stderr
        assert not (tmp_path / "out").exists()
    met = situatedgen(tmp_path, "--out", "out", "--min-validity", "0.1", **with_server)
    assert f"{ARTIFACTS} artifacts, {ARTIFACTS} reused" in met.stdout
    assert "\nvalid: " in met.stdout
