"""Processes that share the texts of a model that uses one core: each has a copy of it, and answers are the same."""

import logging
import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from threading import Lock, Thread
from typing import Any

import polars as pl

from situatedgen import progress
from situatedgen.models import registry
from situatedgen.params import ModelParams
from situatedgen.runtime import Runtime
from storage.answering import ANSWERING

log = logging.getLogger(__name__)
BATCH = 512
WORTHWHILE = 4 * BATCH
"""With fewer texts than these, starting the processes costs more than they save."""
PARENT_SECONDS = 1.0

_pools: dict[int, ProcessPoolExecutor] = {}
_lock = Lock()


@dataclass(frozen=True)
class Crew:
    """The processes that can be asked what a model says."""

    role: str
    params: ModelParams
    runtime: Runtime

    @property
    def size(self) -> int:
        """How many processes there are: as many as asked for, or one a core; one where the model uses all cores."""
        if not registry.entry(self.role, self.params.name).one_core:
            return 1
        return self.runtime.workers or len(os.sched_getaffinity(0))

    def is_worthwhile(self, texts: int) -> bool:
        """Whether so many texts are answered sooner by several processes."""
        return texts >= WORTHWHILE and self.size > 1

    def answers(self, asked: pl.DataFrame) -> Iterator[pl.DataFrame]:
        """The questions with their answers, batch by batch, as they come.

        Where a process is killed, what is not yet answered is left out.
        """
        pool = _pool(self.size)
        futures = [
            pool.submit(answer, self.role, self.params, self.runtime, batch) for batch in asked.iter_slices(BATCH)
        ]
        try:
            yield from _finished(futures)
        except BrokenProcessPool:
            log.warning("a process that asked the %s was killed; the rest is asked in this one", self.role)
            dismiss()
        finally:
            for future in futures:
                future.cancel()


def answer(role: str, params: ModelParams, runtime: Runtime, asked: pl.DataFrame) -> pl.DataFrame:
    """Questions with what a model of this process answers."""
    return ANSWERING[role](_model(role, params, runtime), asked)


def dismiss() -> None:
    """Send all processes home."""
    with _lock:
        while _pools:
            _pools.popitem()[1].shutdown(wait=False, cancel_futures=True)


def _finished(futures: Sequence["Future[pl.DataFrame]"]) -> Iterator[pl.DataFrame]:
    for future in as_completed(futures):
        rows = future.result()
        progress.advance(rows.height)
        yield rows


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


@cache
def _model(role: str, params: ModelParams, runtime: Runtime) -> Any:  # Any: a Protocol of `roles`, by role
    return registry.load(role, params, runtime)
