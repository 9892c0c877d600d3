"""Prefect on this machine alone: a server that keeps its runs, the deployments, and a worker, until Ctrl-C.

python -m flows.serving [--port 4200] [--home .prefect]
"""

import argparse
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from filelock import lock_descriptor
from rich.console import Console
from rich.markup import escape

from flows.pool import end_leftovers, ensure_pool
from flows.server import HOST, LOG, QUIET, server, wait
from flows.server_process import attached, stop
from situatedgen.errors import SettingsError, SituatedGenError

POOL = "situatedgen"
FILE = "prefect.yaml"
console = Console(stderr=True, highlight=False, soft_wrap=True)


class AlreadyServingError(SituatedGenError):
    """Another process serves from the same home."""


def main() -> int:
    """Serve until told to stop; 0 also where a server is running already."""
    given = _arguments()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    try:
        _serve(given.home.resolve(), given.port)
    except KeyboardInterrupt:
        console.print("stopped")
    except AlreadyServingError as running:
        console.print(escape(str(running)))
    except SituatedGenError as error:
        console.print("[red]error:[/]", escape(str(error)))
        return 1
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=4200, help="the port of the server (default 4200)")
    parser.add_argument("--home", type=Path, default=Path(".prefect"), help="the folder that keeps its runs")
    return parser.parse_args()


def _serve(home: Path, port: int) -> None:
    """Start everything in order, say where it is, and watch it."""
    _check_file()
    site = f"http://{HOST}:{port}"
    with ExitStack() as stack:
        stack.enter_context(alone(home, site))
        _check_port(port)
        console.print(f"starting Prefect at {site} …")
        os.environ.update(environment(home, site))
        children = {"server": stack.enter_context(server(f"{site}/api", home))}
        wait(children["server"], f"{site}/api", home / LOG)
        ensure_pool(f"{site}/api", POOL)
        end_leftovers(f"{site}/api", POOL)
        children["worker"] = stack.enter_context(_worker(home))
        _deploy(home)
        console.print(f"serving at [bold]{site}[/]; Ctrl-C stops it")
        _watch(children, home)


def environment(home: Path, site: str) -> Mapping[str, str]:
    """What Prefect's processes are told: where they are, and to log what a person wants to see of a run."""
    return {
        **QUIET,
        "PREFECT_HOME": str(home),
        "PREFECT_API_URL": f"{site}/api",
        "PREFECT_SERVER_UI_API_URL": f"{site}/api",
        "PREFECT_LOGGING_LEVEL": "INFO",
        "PREFECT_LOGGING_EXTRA_LOGGERS": "storage,situatedgen",
        # A build says itself what came of each artifact; Prefect's own lines do not name it.
        "PREFECT_LOGGING_LOGGERS_PREFECT_TASK_RUNS_LEVEL": "WARNING",
        "PREFECT_SERVER_UI_SHOW_PROMOTIONAL_CONTENT": "false",
        "PREFECT_WORKER_QUERY_SECONDS": "2",
        # Runs are started as `python …`, which is this one.
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]),
    }


@contextmanager
def alone(home: Path, site: str) -> Iterator[None]:
    """Be the only one to serve from a home within this block; let go of by the system, however we end.

    Raises:
        AlreadyServingError: another process does; the message says where.
    """
    home.mkdir(parents=True, exist_ok=True)
    with (home / "serving.lock").open("a+", encoding="utf-8") as lock:
        if not lock_descriptor(lock.fileno(), blocking=False):
            lock.seek(0)
            raise AlreadyServingError(f"already serving at {lock.read().strip()}")
        lock.truncate(0)
        lock.write(f"{site} (process {os.getpid()}); Ctrl-C there stops it\n")
        lock.flush()
        yield


def _check_file() -> None:
    if not Path(FILE).is_file():
        raise SettingsError(f"no {FILE} in {Path.cwd()}; serve from the folder of the project")


def _check_port(port: int) -> None:
    with socket.socket() as probe, suppress(ConnectionRefusedError):
        probe.connect((HOST, port))
        raise SettingsError(f"port {port} is taken by another program; choose one: `make serve PORT=4300`")


def _deploy(home: Path) -> None:
    """Create the deployments, or bring them up to date."""
    process = attached("prefect", "--no-prompt", "deploy", "--all", log=home / "deploy.log", environment={})
    try:
        if process.wait() != 0:
            raise SituatedGenError(f"`prefect deploy --all` failed; see {home / 'deploy.log'}")
    finally:
        stop(process)


@contextmanager
def _worker(home: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A worker that takes runs from the pool; at the end it is stopped together with the runs it started."""
    arguments = ("prefect", "worker", "start", "--pool", POOL, "--name", HOST)
    # A worker that is asked to end waits for its runs; when we are gone nobody waits for either.
    process = attached(*arguments, log=home / "worker.log", environment={}, end=signal.SIGKILL)
    try:
        yield process
    finally:
        stop(process)


def _watch(children: Mapping[str, subprocess.Popen[bytes]], home: Path) -> None:
    """Wait for ever, or until something ends that should not."""
    while all(process.poll() is None for process in children.values()):
        time.sleep(0.5)
    ended = [name for name, process in children.items() if process.poll() is not None]
    raise SituatedGenError(f"the {' and the '.join(ended)} ended by itself; see the logs in {home}")


if __name__ == "__main__":
    sys.exit(main())
