"""The workers of a Dask cluster: those of a scheduler that is there, or some of this machine that come and go."""

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any
from uuid import uuid4

import dask
import numpy as np
from distributed import CancelledError, Client, Future, LocalCluster, as_completed
from distributed.scheduler import KilledWorker, NoValidWorkerError

from situatedgen.errors import SettingsError
from situatedgen.runtime import Runtime
from situatedgen.spreading import Made, Numbered, Unit
from storage.alike import alike

log = logging.getLogger(__name__)
AHEAD = 128
"""Units that are with the cluster at once: enough for many workers, few enough for its memory."""
HOST = "127.0.0.1"
CONNECT_SECONDS = 60
WORKER_SECONDS = 60
Sent = Future[Any]  # Any: whatever a function makes
LOST = (KilledWorker, NoValidWorkerError, CancelledError)
# A block of vectors is larger than Dask expects of a task; it is sent once, and sent again where a worker died.
LARGE = {"distributed.admin.large-graph-warning-threshold": "1GB"}


@dataclass(frozen=True)
class Dask:
    """A spreader over the workers of a cluster."""

    client: Client

    def spread(self, function: Callable[..., Made], units: Sequence[Unit]) -> Numbered[Made]:
        """The number of each unit and what the function makes of it, as they come.

        A unit whose worker died is given to another. What kills several, and all that is left when the cluster
        is gone, is done in this process.
        """
        sending = Sending(self.client, alike(function))
        left = dict(enumerate(units))
        try:
            for number, future in sending.finished(units):
                yield number, _made(future, partial(function, *left.pop(number)))
        finally:
            sending.stop()
        for number, unit in left.items():
            yield number, function(*unit)


@dataclass(frozen=True)
class Sending:
    """Units on their way through a cluster, and the arrays that stand in several of them."""

    client: Client
    function: Callable[..., object]
    pending: dict[str, tuple[int, Sent]] = field(default_factory=dict)
    arrays: dict[int, Sent] = field(default_factory=dict)

    def finished(self, units: Sequence[Unit]) -> Iterator[tuple[int, Sent]]:
        """Each unit's number and what became of it, until the cluster is gone."""
        waiting = iter(enumerate(units))
        done = as_completed([self._sent(*each) for each in islice(waiting, AHEAD)], loop=self.client.loop)
        for future in done:
            number, _ = self.pending.pop(str(future.key))
            yield number, future
            if self.client.status != "running":
                return
            done.update([self._sent(*each) for each in islice(waiting, 1)])

    def stop(self) -> None:
        """Call back what is still with the cluster."""
        if self.pending and self.client.status == "running":
            self.client.cancel([future for _, future in self.pending.values()])
        self.pending.clear()
        self.arrays.clear()

    def _sent(self, number: int, unit: Unit) -> Sent:
        with dask.config.set(LARGE):
            values = [self._array(value) if isinstance(value, np.ndarray) else value for value in unit]
            future = self.client.submit(self.function, *values, key=f"unit-{uuid4().hex}", pure=False)
        self.pending[str(future.key)] = number, future
        return future

    def _array(self, array: "np.ndarray[tuple[int, ...], np.dtype[np.generic]]") -> Sent:
        """An array as a task of its own: workers hand it on, and one that is lost is had again from the scheduler."""
        if id(array) not in self.arrays:
            self.arrays[id(array)] = self.client.submit(_itself, array, key=f"array-{uuid4().hex}", pure=False)
        return self.arrays[id(array)]


@contextmanager
def cluster(runtime: Runtime) -> Iterator[Client]:
    """A client of the scheduler that the runtime names, or of as many workers of this machine as it says.

    Raises:
        SettingsError: the scheduler does not answer, or it has no workers.
    """
    with _quietly(), ExitStack() as stack:
        if not runtime.scheduler:
            local = stack.enter_context(_local(runtime.workers or len(os.sched_getaffinity(0))))
        yield stack.enter_context(_connected(runtime.scheduler or local.scheduler_address))


def _local(workers: int) -> LocalCluster:
    """So many workers of this machine, reachable from it alone, with one thread each."""
    return LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        host=HOST,
        dashboard_address=f"{HOST}:0",
        memory_limit=0,
        silence_logs=logging.ERROR,
    )


@contextmanager
def _quietly() -> Iterator[None]:
    """Let Dask say only what is wrong."""
    logger = logging.getLogger("distributed")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)


def address_of(client: Client) -> str:
    """Where the scheduler of a client is."""
    return str(client.scheduler_info(n_workers=0)["address"])


def _connected(address: str) -> Client:
    try:
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise SettingsError(
            f"no Dask scheduler answers at {address}: {error}; start one with `dask scheduler`, see docs/cluster.md"
        ) from error
    try:
        client.wait_for_workers(1, timeout=WORKER_SECONDS)
    except TimeoutError as error:
        client.close()
        raise SettingsError(
            f"the Dask scheduler at {address} has no workers; start some with `dask worker {address}`"
        ) from error
    return client


def _made(future: Sent, again: Callable[[], Made]) -> Made:
    try:
        made: Made = future.result()
    except LOST as error:
        log.warning("a unit of work was lost by the cluster (%s); it is done in this process", _reason(error))
        return again()
    return made


def _reason(error: BaseException) -> str:
    return type(error).__name__


def _itself(value: Made) -> Made:
    return value
