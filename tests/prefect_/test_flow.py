"""The flow as people run it: through Prefect, on a server that comes and goes, or on a given one."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from process_support import COMMAND_LINE, run_python
from store_support import ARTIFACTS

pytestmark = [pytest.mark.prefect, pytest.mark.slow]
FILES = ("train.jsonl", "dev.jsonl", "test.jsonl")


def build(folder: Path, *arguments: str, code: int = 0, **server: str) -> "subprocess.CompletedProcess[str]":
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT")}
    command = ("-c", COMMAND_LINE, "build", "--preset", "tiny", *arguments)
    return run_python(*command, code=code, cwd=folder, env={**environment, **server})


def test_a_build_through_prefect_is_quiet_cached_and_equal_to_a_plain_one(
    tiny: Any, with_server: dict[str, str], tmp_path: Path
) -> None:
    """The first on a server of its own, which knows nothing of the second: that runs on another."""
    first = build(tmp_path, "--out", "one")
    again = build(tmp_path, "--out", "two", **with_server)
    assert "Traceback" not in first.stderr + again.stderr
    assert "0 reused" in first.stdout
    assert f"{ARTIFACTS} artifacts, {ARTIFACTS} reused" in again.stdout
    assert "made in" not in again.stderr
    folders = (tmp_path / "one", tmp_path / "two", tiny.out)
    data = [[(folder / "data" / name).read_bytes() for name in FILES] for folder in folders]
    assert data[0] == data[1] == data[2]


def test_too_small_a_share_of_valid_pairs_fails_a_build_through_prefect_in_words(
    tiny: Any, with_server: dict[str, str], tmp_path: Path
) -> None:
    """The folder is not written, and then it is; that a build which makes all is refused too, the plain one shows."""
    options = ("--store", str(shutil.copytree(tiny.store.root, tmp_path / "store")), "--out", "out", "--min-validity")
    refused = build(tmp_path, *options, "0.99", code=1, **with_server)
    assert "% of the pairs are valid, but --min-validity requires 99.0 %" in refused.stderr.splitlines()[-1]
    assert "Traceback" not in refused.stderr
    assert not (tmp_path / "out").exists()
    met = build(tmp_path, *options, "0.1", **with_server)
    assert f"{ARTIFACTS} artifacts, {ARTIFACTS} reused" in met.stdout
    assert "\nvalid: " in met.stdout
