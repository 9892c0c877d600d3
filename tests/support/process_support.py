"""Processes that tests start: scripts that run to their end, answer line by line, or are killed."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Timer

PATIENCE = 900
"""Seconds after which a process is killed, or a wait fails: far more than any needs on a busy machine."""
COMMAND_LINE = "from flows.cli.app import main; main()"


def with_path(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a process that imports what this one imports, after what its own PYTHONPATH names."""
    given = dict(os.environ if environment is None else environment)
    return {**given, "PYTHONPATH": os.pathsep.join(filter(None, [given.get("PYTHONPATH", ""), *sys.path]))}


def run_python(
    *words: object, code: int = 0, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    """Run Python with some arguments, and check its exit code."""
    done = subprocess.run(
        [sys.executable, *map(str, words)],
        cwd=cwd,
        env=with_path(env),
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done


def until(fact: Callable[[], object], seconds: float = PATIENCE) -> None:
    """Wait until something is so.

    Raises:
        TimeoutError: it did not come about.
    """
    deadline = time.monotonic() + seconds
    while not fact():
        if time.monotonic() > deadline:
            raise TimeoutError(f"it did not happen within {seconds} seconds")
        time.sleep(0.05)


class Script:
    """A script as a process that is sent lines and prints lines; one that ends before its line fails with its error."""

    def __init__(self, process: "subprocess.Popen[str]", errors: Path) -> None:
        self.process, self._errors = process, errors

    def send(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def read(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, f"the script ended early: {self.errors()}"
        return line.rstrip("\n")

    def wait_until(self, fact: Callable[[], object]) -> None:
        """Wait until the script has brought something about."""
        until(lambda: fact() or self.process.poll() is not None)
        assert fact(), f"the script ended early: {self.errors()}"

    def errors(self) -> str:
        return self._errors.read_text(encoding="utf-8")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@contextmanager
def running(script: str, *words: object, env: Mapping[str, str] | None = None) -> Iterator[Script]:
    """Run a script beside this process; it is killed at the end of the block, or when it hangs."""
    command, pipe = [sys.executable, "-c", script, *map(str, words)], subprocess.PIPE
    with (
        tempfile.NamedTemporaryFile() as errors,
        subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=errors, text=True, env=with_path(env)) as process,
    ):
        patience = Timer(PATIENCE, process.kill)
        patience.start()
        try:
            yield Script(process, Path(errors.name))
        finally:
            patience.cancel()
            process.kill()
