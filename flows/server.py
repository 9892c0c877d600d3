"""The Prefect server that a local run talks to: the configured one, or one of its own that comes and goes."""

import os
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from flows.server_process import attached, stop
from situatedgen.errors import SettingsError, SituatedGenError

HOST = "127.0.0.1"
LOG = "server.log"
START_SECONDS = 180
QUIET = {
    "DO_NOT_TRACK": "1",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_SERVER_EPHEMERAL_ENABLED": "false",
    "PREFECT_LOGGING_LEVEL": "CRITICAL",
}


Ready = Callable[[], None]


@contextmanager
def api() -> Iterator[Ready]:
    """Give this process a Prefect API; call what comes back before using it, to wait until it answers.

    Prefect can be imported meanwhile: its settings are in place at once, and a server takes seconds to start.

    Raises:
        SettingsError: a server is configured but does not answer.
    """
    configured = os.environ.get("PREFECT_API_URL", "")
    if configured:
        _require(configured)
        os.environ.update({name: value for name, value in QUIET.items() if name not in os.environ})
        yield _nothing_to_wait_for
        return
    with (
        tempfile.TemporaryDirectory(prefix="situatedgen-prefect-") as home,
        _own_server(Path(home)) as ready,
    ):
        yield ready


def _nothing_to_wait_for() -> None:
    """The configured server answered already."""


@contextmanager
def _own_server(home: Path) -> Iterator[Ready]:
    address = f"http://{HOST}:{free_port()}/api"
    os.environ.update({**QUIET, "PREFECT_HOME": str(home), "PREFECT_API_URL": address})
    with server(address, home, "--no-services") as process:
        yield partial(wait, process, address, home / LOG)


@contextmanager
def server(address: str, home: Path, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    """A Prefect server at an address of this machine, on its way up; stopped at the end."""
    port = str(urlsplit(address).port)
    arguments = ("prefect", "server", "start", "--host", HOST, "--port", port, *options)
    process = attached(
        *arguments, log=home / LOG, environment={"PREFECT_HOME": str(home), "PREFECT_LOGGING_LEVEL": "CRITICAL"}
    )
    try:
        yield process
    finally:
        stop(process)


def wait(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    """Wait until a server answers.

    Raises:
        SituatedGenError: it does not.
    """
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        if answers(address):
            return
        time.sleep(0.1)
    tail = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
    raise SituatedGenError(f"the Prefect server did not start: {' '.join(tail)}; `--plain` builds without it")


def _require(address: str) -> None:
    if not answers(address):
        raise SettingsError(
            f"PREFECT_API_URL is {address}, but no Prefect server answers there;"
            " start it, unset the variable, or build with `--plain`"
        )


def answers(address: str) -> bool:
    """Whether a Prefect server answers at an address."""
    try:
        with urllib.request.urlopen(f"{address.rstrip('/')}/health", timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def free_port() -> int:
    """A port of this machine that nobody uses at the moment."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])
