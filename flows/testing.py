"""What tests of serving share: `make serve` in a folder of its own, and its processes."""

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flows.pool import post
from flows.server import HOST, free_port

ROOT = Path(__file__).parent.parent
ENDS = ("COMPLETED", "FAILED", "CRASHED", "CANCELLED")


@dataclass(frozen=True)
class Serving:
    """A process that serves, and where."""

    process: "subprocess.Popen[bytes]"
    folder: Path
    port: int

    @property
    def site(self) -> str:
        """The address of its pages."""
        return f"http://{HOST}:{self.port}"

    def post(self, path: str, content: dict[str, object]) -> Any:  # Any: parsed JSON
        """What its server answers to some content."""
        return post(f"{self.site}/api{path}", content)

    def get(self, path: str) -> Any:  # Any: parsed JSON
        """What is at a path of its site."""
        with urllib.request.urlopen(f"{self.site}{path}", timeout=30) as answer:
            return json.load(answer)

    def ended(self, run: str) -> dict[str, Any]:
        """A run, when it has ended."""
        until(lambda: self.get(f"/api/flow_runs/{run}")["state_type"] in ENDS)
        found: dict[str, Any] = self.get(f"/api/flow_runs/{run}")
        return found

    def said(self) -> str:
        """What it printed so far."""
        return (self.folder / "serve.out").read_text(encoding="utf-8")


@contextmanager
def serving_in(folder: Path) -> Iterator[Serving]:
    """The deployments of the project, served from a folder on a free port; killed at the end."""
    (folder / "prefect.yaml").write_text((ROOT / "prefect.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    port = free_port()
    found = Serving(serve(folder, port), folder, port)
    try:
        until(lambda: "Ctrl-C stops it" in found.said() or found.process.poll() is not None)
        if found.process.poll() is not None:
            raise RuntimeError(found.said())
        yield found
    finally:
        everyone = family(found.process.pid)
        found.process.kill()
        found.process.wait()
        until(lambda: not alive(everyone), seconds=30)


def serve(folder: Path, port: int) -> "subprocess.Popen[bytes]":
    """`make serve` in a folder, as a process that writes to `serve.out`."""
    given = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT")}
    with (folder / "serve.out").open("ab") as out:
        command = [sys.executable, "-m", "flows.serving", "--port", str(port)]
        return subprocess.Popen(command, cwd=folder, env=given, stdout=out, stderr=out)


def until(fact: Callable[[], object], seconds: float = 180) -> None:
    """Wait until something is so.

    Raises:
        TimeoutError: it did not come about.
    """
    deadline = time.monotonic() + seconds
    while not fact():
        if time.monotonic() > deadline:
            raise TimeoutError(f"it did not happen within {seconds} seconds")
        time.sleep(0.1)


def family(process: int) -> set[int]:
    """A process and all that came of it."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        if fields := _fields(status):
            parents[int(status.parent.name)] = int(fields[1])
    found = {process}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def alive(processes: set[int]) -> set[int]:
    """Those of some processes that still run."""
    states = {process: _fields(Path(f"/proc/{process}/stat")) for process in processes}
    return {process for process, fields in states.items() if fields and fields[0] != "Z"}


def _fields(status: Path) -> list[str]:
    """State, parent and the rest of what the kernel says of a process; nothing where it is gone."""
    try:
        return status.read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    except OSError:
        return []
