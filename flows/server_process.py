"""A module run in a process that ends with its parent, so that a killed build or server leaves nothing behind."""

import ctypes
import os
import runpy
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

PR_SET_PDEATHSIG = 1


def attached(
    *arguments: str, log: Path, environment: Mapping[str, str], end: signal.Signals = signal.SIGTERM
) -> subprocess.Popen[bytes]:
    """A process that runs a module with its arguments, writes to a log, and gets a signal when we are gone."""
    command = [sys.executable, "-m", "flows.server_process", end.name, *arguments]
    with log.open("ab") as stream:
        return subprocess.Popen(
            command,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=stream,
            start_new_session=True,
        )


def stop(process: subprocess.Popen[bytes], *, seconds: float = 10) -> None:
    """End a process and those that it started in its group: politely first, then at once."""
    _signal(process, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout=seconds)
    _signal(process, signal.SIGKILL)
    process.wait()


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def main() -> None:
    """Run the module that the arguments name; on Linux the kernel signals this process when its parent is gone.

    For example: `python -m flows.server_process SIGTERM prefect server start`
    """
    number, module, *arguments = sys.argv[1:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.Signals[number])
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
