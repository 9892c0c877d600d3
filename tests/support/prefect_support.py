"""What tests of serving share: `make serve` in a folder of its own, and its processes."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from prefect.client.orchestration import SyncPrefectClient
from prefect.client.schemas.filters import LogFilter
from prefect.client.schemas.objects import State

from flows.local_server import HOST, connect, free_port
from process_support import until

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Serving:
    """A process that serves, where, and a client of its server."""

    process: "subprocess.Popen[bytes]"
    folder: Path
    site: str
    client: SyncPrefectClient

    def start(self, deployment: str, **parameters: object) -> UUID:
        """Schedule a run of a deployment, and return its id."""
        found = self.client.read_deployment_by_name(deployment)
        return self.client.create_flow_run_from_deployment(found.id, parameters=parameters).id

    def wait_for(self, run: UUID) -> State:
        """Return the state of a run when it has ended."""
        until(lambda: self._state(run).is_final())
        return self._state(run)

    def _state(self, run: UUID) -> State:
        found = self.client.read_flow_run(run).state
        if found is None:
            raise LookupError(f"run {run} has no state")
        return found

    def read_log(self, run: UUID) -> str:
        """Return what a run logged."""
        lines = self.client.read_logs(LogFilter.model_validate({"flow_run_id": {"any_": [run]}}))
        return "\n".join(line.message for line in lines)

    def read_output(self) -> str:
        """Return what it printed so far."""
        return (self.folder / "serve.out").read_text(encoding="utf-8")


@contextmanager
def serving_in(folder: Path) -> Iterator[Serving]:
    """The deployments of the project, served from a folder on a free port; killed at the end."""
    (folder / "prefect.yaml").write_text((ROOT / "prefect.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    port = free_port()
    with connect(f"http://{HOST}:{port}/api") as client:
        found = Serving(serve(folder, port), folder, f"http://{HOST}:{port}", client)
        try:
            until(lambda: "press Ctrl-C to stop" in found.read_output() or found.process.poll() is not None)
            if found.process.poll() is not None:
                raise RuntimeError(found.read_output())
            yield found
        finally:
            found.process.terminate()
            found.process.wait()


def serve(folder: Path, port: int) -> "subprocess.Popen[bytes]":
    """`make serve` in a folder, as a process that writes to `serve.out`."""
    given = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT")}
    with (folder / "serve.out").open("wb") as out:
        command = [sys.executable, "-m", "flows.local_server", "--port", str(port)]
        return subprocess.Popen(command, cwd=folder, env=given, stdout=out, stderr=out)


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
