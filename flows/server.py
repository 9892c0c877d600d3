"""The Prefect server that a local run talks to: the configured one, or one of its own that comes and goes."""

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from situatedgen.errors import SettingsError, SituatedGenError

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
    port = _free_port()
    address = f"http://127.0.0.1:{port}/api"
    command = [sys.executable, "-m", "flows.server_process", "server", "start", "--no-services"]
    with (home / "server.log").open("wb") as log:
        process = subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--port", str(port)],
            env={**os.environ, **QUIET, "PREFECT_HOME": str(home)},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        os.environ.update({**QUIET, "PREFECT_HOME": str(home), "PREFECT_API_URL": address})
        try:
            yield partial(_wait, process, address, home / "server.log")
        finally:
            _stop(process)


def _wait(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        if _answers(address):
            return
        time.sleep(0.1)
    tail = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
    raise SituatedGenError(f"the Prefect server did not start: {' '.join(tail)}; `--plain` builds without it")


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _require(address: str) -> None:
    if not _answers(address):
        raise SettingsError(
            f"PREFECT_API_URL is {address}, but no Prefect server answers there;"
            " start it, unset the variable, or build with `--plain`"
        )


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address.rstrip('/')}/health", timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
