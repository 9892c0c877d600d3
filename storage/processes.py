"""Processes of this machine that are given units of work, and end with the build however it ends."""

import logging
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context
from threading import Lock, Thread

from situatedgen.spreading import Made, Numbered, Unit

log = logging.getLogger(__name__)
PARENT_SECONDS = 1.0

_pools: dict[int, ProcessPoolExecutor] = {}
_lock = Lock()


@dataclass(frozen=True)
class Processes:
    """A spreader over so many processes, which are started once a build."""

    size: int

    def spread(self, function: Callable[..., Made], units: Sequence[Unit]) -> Numbered[Made]:
        """The number of each unit and what the function makes of it, as they come.

        Where a process is killed, what is not yet done is done in this one.
        """
        pool, waiting = _pool(self.size), dict(enumerate(units))
        futures: dict[Future[Made], int] = {}
        try:
            futures |= {pool.submit(function, *unit): number for number, unit in enumerate(units)}
            for number, made in _finished(futures):
                del waiting[number]
                yield number, made
        except BrokenProcessPool:
            log.warning("a process that shared the work was killed; the rest is done in this one")
            dismiss()
        finally:
            for future in futures:
                future.cancel()
        for number, unit in waiting.items():
            yield number, function(*unit)


def dismiss() -> None:
    """Send all processes home."""
    with _lock:
        while _pools:
            _pools.popitem()[1].shutdown(wait=False, cancel_futures=True)


def _finished(futures: "dict[Future[Made], int]") -> Numbered[Made]:
    for future in as_completed(futures):
        yield futures[future], future.result()


def _pool(size: int) -> ProcessPoolExecutor:
    with _lock:
        if size not in _pools:
            # Threads and numeric libraries of this process would not survive a fork.
            context = get_context("spawn")
            _pools[size] = ProcessPoolExecutor(size, context, initializer=_end_with, initargs=(os.getpid(),))
        return _pools[size]


def _end_with(parent: int) -> None:
    """End this process when its parent is gone, however it went."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(PARENT_SECONDS)
        os._exit(1)

    Thread(target=watch, name="watch parent", daemon=True).start()
