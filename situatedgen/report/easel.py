"""Draws beside other work: in a process that has its library loaded before there is anything to draw."""

import base64
import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock

from situatedgen.report.statistics import Statistics, from_values, to_json

Pictures = dict[str, bytes]
RUN = "from situatedgen.report.easel import main; main()"

_lock = Lock()
_waiting: list["subprocess.Popen[bytes]"] = []


def prepare() -> None:
    """Start the process, unless one is waiting already; it ends with this one, however this one ends."""
    with _lock:
        if not _waiting:
            _waiting.append(_started())


def dismiss() -> None:
    """Send a process home that was never given anything to draw."""
    process = _taken()
    if process is not None:
        process.kill()
        process.communicate()


def drawing(statistics: Statistics) -> Callable[[], Pictures]:
    """The pictures of a dataset, drawn while this process goes on: call what is returned when they are needed."""
    process = _taken()
    if process is None:
        return lambda: _drawn_here(statistics)
    if process.stdin is not None:
        with suppress(BrokenPipeError), process.stdin:
            process.stdin.write(to_json(statistics).encode("utf-8"))
    return lambda: _fetched(process) or _drawn_here(statistics)


def main() -> None:
    """Draw the statistics that stand on the standard input, when they come; nothing when it is closed."""
    from situatedgen.report.figures import drawn  # noqa: PLC0415 (loaded before the statistics are there)

    told = sys.stdin.buffer.read()
    if told:
        pictures = drawn(from_values(json.loads(told)))
        json.dump({name: base64.b64encode(picture).decode("ascii") for name, picture in pictures.items()}, sys.stdout)


def _started() -> "subprocess.Popen[bytes]":
    """A process that finds the very code of this one."""
    paths = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
    return subprocess.Popen(
        [sys.executable, "-P", "-c", RUN],
        env=os.environ | {"PYTHONPATH": paths},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def _taken() -> "subprocess.Popen[bytes] | None":
    with _lock:
        return _waiting.pop() if _waiting else None


def _fetched(process: "subprocess.Popen[bytes]") -> Pictures:
    """The pictures of a process; none when it broke down."""
    with process:
        told = process.stdout.read() if process.stdout else b""
    return {name: base64.b64decode(text) for name, text in json.loads(told).items()} if not process.returncode else {}


def _drawn_here(statistics: Statistics) -> Pictures:
    from situatedgen.report.figures import drawn  # noqa: PLC0415 (heavy, and mostly loaded elsewhere)

    return drawn(statistics)
