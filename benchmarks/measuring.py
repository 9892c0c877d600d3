"""What a call costs on Linux: seconds, processor seconds, and memory beyond what was there before."""

import re
import resource
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import TypeVar

Answer = TypeVar("Answer")
SAMPLE_SECONDS = 0.01
MEBIBYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds on the clock, seconds of all processors, and the most MiB above the start."""

    seconds: float
    cpu_seconds: float
    mebibytes: float


def measured(call: Callable[[], Answer]) -> tuple[Answer, Cost]:
    """What a call answers, and what it cost this process."""
    with _peak() as peak:
        start, cpu_start = time.perf_counter(), time.process_time()
        answer = call()
        seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
    return answer, Cost(seconds, cpu_seconds, (max(peak) - peak[0]) / MEBIBYTE)


@contextmanager
def _peak() -> Iterator[list[int]]:
    """The first and the largest size of this process while the block runs, looked at every few milliseconds."""
    done, sizes = Event(), [_size()] * 2

    def watch() -> None:
        while not done.wait(SAMPLE_SECONDS):
            sizes[1] = max(sizes[1], _size())

    watcher = Thread(target=watch, daemon=True)
    watcher.start()
    yield sizes
    done.set()
    watcher.join()


def _size() -> int:
    """The bytes of memory that this process has now."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * resource.getpagesize()


def resident(pid: int) -> int:
    """The KiB of memory of a process and all below it; what they share is counted for each."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    except OSError:
        return 0
    own = re.search(r"VmRSS:\s+(\d+)", status)
    return int(own[1] if own else 0) + sum(resident(int(child)) for child in children)
