"""A call or a command in a process of its own: what it answers, and what it and all processes below it cost."""

import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import ParamSpec, TypeVar

from benchmarks.measuring import resident

Given = ParamSpec("Given")
Answer = TypeVar("Answer")
SAMPLE_SECONDS = 0.1
KIBIBYTE = 1 << 10
RUN = "from flows.cli.app import main; main()"


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds on the clock, seconds of all processors, and the most bytes of memory."""

    seconds: float
    cpu_seconds: float
    peak: int


def alone(function: Callable[Given, Answer], *args: Given.args, **options: Given.kwargs) -> tuple[Answer, Spent]:
    """What a call answers in a new process, and what it cost; starting the process does not count.

    Raises:
        SystemExit: the process ended without an answer.
    """
    receiving, sending = get_context("spawn").Pipe(duplex=False)
    process = get_context("spawn").Process(target=_tell, args=(sending, function, args, options))
    process.start()
    sending.close()
    peak = 0
    while not receiving.poll(SAMPLE_SECONDS):
        peak = max(peak, resident(process.pid or 0) * KIBIBYTE)
    try:
        answer, spent = receiving.recv()
    except EOFError:
        process.join()
        raise SystemExit(f"{function.__name__} ended with {process.exitcode}, at {peak:,} bytes") from None
    process.join()
    return answer, replace(spent, peak=max(peak, spent.peak))


def commanded(*words: str) -> Spent:
    """What a command of ours cost, from the start of its process to its end; what it prints is not shown.

    Raises:
        SystemExit: it failed.
    """
    began, cpu_began, peak = time.perf_counter(), cpu_seconds(), 0
    with subprocess.Popen([sys.executable, "-c", RUN, *words], stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            peak = max(peak, resident(process.pid) * KIBIBYTE)
            time.sleep(SAMPLE_SECONDS)
    if process.returncode:
        raise SystemExit(process.returncode)
    return Spent(time.perf_counter() - began, cpu_seconds() - cpu_began, peak)


def _tell(
    sending: Connection, function: Callable[..., object], args: tuple[object, ...], options: dict[str, object]
) -> None:
    began, cpu_began = time.perf_counter(), cpu_seconds()
    answer = function(*args, **options)
    sending.send((answer, Spent(time.perf_counter() - began, cpu_seconds() - cpu_began, own_peak())))


def cpu_seconds() -> float:
    """The processor seconds of this process and of all below it that ended."""
    below = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + below.ru_utime + below.ru_stime


def own_peak() -> int:
    """The most bytes of memory that this process alone had so far."""
    found = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text(encoding="utf-8"))
    return int(found[1]) * KIBIBYTE if found else 0
