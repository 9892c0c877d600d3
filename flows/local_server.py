"""Prefect on this machine: a temporary server for one build, or `make serve` with deployments and a worker.

python -m flows.local_server [--port 4200] [--home .prefect]
"""

import argparse
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout
from rich.console import Console
from rich.markup import escape

from situatedgen.errors import SettingsError, SituatedGenError

if TYPE_CHECKING:
    from prefect.client.orchestration import SyncPrefectClient

HOST = "127.0.0.1"
POOL = "situatedgen"
ADDRESS = "serving.txt"
START_SECONDS = 300
STOP_SECONDS = 10
QUIET = {
    "DO_NOT_TRACK": "1",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_SERVER_EPHEMERAL_ENABLED": "false",
    "PREFECT_LOGGING_LEVEL": "CRITICAL",
}
# If util-linux is installed, the kernel kills our child processes when we are killed.
END_WITH_PARENT = ("setpriv", "--pdeathsig", "KILL") if shutil.which("setpriv") else ()
UNFINISHED = ("PENDING", "RUNNING", "CANCELLING")
STOPPED = "Prefect was stopped during this run; resume it with `prefect flow-run retry`"
console = Console(stderr=True, highlight=False, soft_wrap=True)


def connect(address: str) -> "SyncPrefectClient":
    """Return a client of the Prefect API at an address, which retries requests that a busy server rejects."""
    # Prefect reads its settings on import, so the environment must be complete by then.
    from prefect.client.orchestration import SyncPrefectClient  # noqa: PLC0415

    return SyncPrefectClient(address)


@contextmanager
def api() -> Iterator[None]:
    """Give this process a Prefect API: the one at PREFECT_API_URL, or a temporary server that ends with the block.

    Import Prefect inside the block only: it reads the settings made here on import.

    Raises:
        SettingsError: a server is configured but does not respond.
        SituatedGenError: a run failed, and its exception is lost.
    """
    with _configured_or_temporary():
        from prefect.exceptions import FailedRun  # noqa: PLC0415

        try:
            yield
        except FailedRun as error:
            # The client repeats a request that a busy server does not confirm. If the failed state was recorded the
            # first time, the server returns it, and it has the message of our error but not the exception.
            raise SituatedGenError(str(error)) from error


@contextmanager
def _configured_or_temporary() -> Iterator[None]:
    if configured := os.environ.get("PREFECT_API_URL", ""):
        os.environ.update({**QUIET, **os.environ})
        with connect(configured) as client:
            if client.api_healthcheck() is not None:
                raise SettingsError(
                    f"PREFECT_API_URL is {configured}, but no Prefect server responds there;"
                    " start it, unset the variable, or build with `--plain`"
                )
        yield
        return
    with tempfile.TemporaryDirectory(prefix="situatedgen-prefect-") as home:
        port = free_port()
        os.environ.update({**QUIET, "PREFECT_HOME": home, "PREFECT_API_URL": f"http://{HOST}:{port}/api"})
        with run_server(port, Path(home), "--no-services"):
            yield


@contextmanager
def run_server(port: int, home: Path, *options: str) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a local Prefect server on a port; the block starts once the server responds.

    Raises:
        SituatedGenError: the server does not start.
    """
    log, arguments = home / "server.log", ("server", "start", "--host", HOST, "--port", str(port), *options)
    with (
        run_prefect(*arguments, log=log, PREFECT_HOME=str(home), **QUIET) as process,
        connect(f"http://{HOST}:{port}/api") as client,
    ):
        deadline = time.monotonic() + START_SECONDS
        while client.api_healthcheck() is not None:
            if process.poll() is not None or time.monotonic() > deadline:
                last_line = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
                raise SituatedGenError(
                    f"the Prefect server did not start: {''.join(last_line)}; `--plain` builds without Prefect"
                )
            time.sleep(0.1)
        yield process


@contextmanager
def run_prefect(*arguments: str, log: Path, **environment: str) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a Prefect command that writes to a log; it and its child processes end with the block."""
    with log.open("ab") as stream:
        process = subprocess.Popen(
            [*END_WITH_PARENT, sys.executable, "-m", "prefect", *arguments],
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=stream,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        for number in (signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError):
                os.killpg(process.pid, number)
            with suppress(subprocess.TimeoutExpired):
                process.wait(STOP_SECONDS)


def free_port() -> int:
    """Return a free local port."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def prepare_pool(client: "SyncPrefectClient") -> int:
    """Create the work pool if it is missing, mark the runs of a stopped worker as crashed, and count them.

    Otherwise they would look active for ever and block others.
    """
    from prefect.client.schemas.actions import WorkPoolCreate  # noqa: PLC0415
    from prefect.client.schemas.filters import FlowRunFilter, WorkPoolFilter  # noqa: PLC0415
    from prefect.exceptions import ObjectAlreadyExists  # noqa: PLC0415
    from prefect.states import Crashed  # noqa: PLC0415

    with suppress(ObjectAlreadyExists):
        client.create_work_pool(WorkPoolCreate(name=POOL, type="process"))
    runs = client.read_flow_runs(
        flow_run_filter=FlowRunFilter.model_validate({"state": {"type": {"any_": UNFINISHED}}}),
        work_pool_filter=WorkPoolFilter.model_validate({"name": {"any_": [POOL]}}),
    )
    for run in runs:
        client.set_flow_run_state(run.id, Crashed(message=STOPPED), force=True)
    return len(runs)


def main() -> int:
    """Serve until Ctrl-C and return the exit code, which is 0 also if a server is already running."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=4200, help="port of the server (default 4200)")
    parser.add_argument(
        "--home",
        type=Path,
        default=Path(".prefect"),
        help="folder for the server's database and logs (default .prefect)",
    )
    given = parser.parse_args()
    home, site = given.home.resolve(), f"http://{HOST}:{given.port}"
    home.mkdir(parents=True, exist_ok=True)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    try:
        with FileLock(home / "serving.lock", blocking=False):
            (home / ADDRESS).write_text(f"{site} (process {os.getpid()})", encoding="utf-8")
            serve(home, given.port)
    except Timeout:
        running = (home / ADDRESS).read_text(encoding="utf-8")
        console.print(f"already running at {escape(running)}; stop it there with Ctrl-C")
    except KeyboardInterrupt:
        console.print("stopped")
    except SituatedGenError as error:
        console.print("[red]error:[/]", escape(str(error)))
        return 1
    return 0


def serve(home: Path, port: int) -> None:
    """Run a server, the deployments of `prefect.yaml` and a worker until one of them exits.

    Raises:
        SituatedGenError: a process does not start, or exits unexpectedly.
    """
    site = f"http://{HOST}:{port}"
    _check_prerequisites(port)
    console.print(f"starting Prefect at {site} …")
    os.environ.update(_environment(home, site))
    with run_server(port, home) as server:
        with connect(f"{site}/api") as client:
            prepare_pool(client)
        worker_arguments = ("worker", "start", "--pool", POOL, "--name", HOST)
        with run_prefect(*worker_arguments, log=home / "worker.log") as worker:
            with run_prefect("--no-prompt", "deploy", "--all", log=home / "deploy.log") as deployment:
                if deployment.wait() != 0:
                    raise SituatedGenError(f"`prefect deploy --all` failed; see {home / 'deploy.log'}")
            console.print(f"running at [bold]{site}[/]; press Ctrl-C to stop")
            while server.poll() is None and worker.poll() is None:
                time.sleep(0.5)
            ended = "worker" if server.poll() is None else "server"
            raise SituatedGenError(f"the {ended} exited unexpectedly; see the logs in {home}")


def _check_prerequisites(port: int) -> None:
    if not Path("prefect.yaml").is_file():
        raise SettingsError(f"no prefect.yaml in {Path.cwd()}; run this in the project folder")
    with socket.socket() as probe, suppress(ConnectionRefusedError):
        probe.connect((HOST, port))
        raise SettingsError(f"port {port} is in use by another program; choose another one: `make serve PORT=4300`")


def _environment(home: Path, site: str) -> dict[str, str]:
    """Return Prefect's settings: its location, and logging of what users want to see of a run."""
    return {
        **QUIET,
        "PREFECT_HOME": str(home),
        "PREFECT_API_URL": f"{site}/api",
        "PREFECT_SERVER_UI_API_URL": f"{site}/api",
        "PREFECT_LOGGING_LEVEL": "INFO",
        "PREFECT_LOGGING_EXTRA_LOGGERS": "storage,situatedgen",
        "PREFECT_SERVER_UI_SHOW_PROMOTIONAL_CONTENT": "false",
        "PREFECT_WORKER_QUERY_SECONDS": "2",
        # Runs are started as `python …`, which must be this interpreter.
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]),
    }


if __name__ == "__main__":
    sys.exit(main())
