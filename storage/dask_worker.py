"""A job on a worker of a Dask cluster: what it asks and mines is spread over all workers, and its client is told."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from contextvars import Context, copy_context
from dataclasses import dataclass, field

from distributed import Client, Worker, get_worker, worker_client

from situatedgen.errors import StoreError
from situatedgen.pipeline import stage
from situatedgen.spreading import spreading
from storage.alike import other_code
from storage.dask_cluster import Dask
from storage.digests import json_digest
from storage.fingerprint import fingerprint
from storage.jobs import Job, model_identity
from storage.observers import Observer, observing
from storage.outcomes import Outcome
from storage.store import Store

Event = tuple[float, list[str | int]]


@contextmanager
def at_home(job: Job, store: Store, topic: str) -> Iterator[None]:
    """Let a job that was sent to a worker spread its work over all of them, and tell a topic how far it is.

    Its own worker takes other work meanwhile. Where the job was not sent to a worker, nothing is done.

    Raises:
        StoreError: the worker does not see the store.
        SettingsError: the worker has other code, or other models.
    """
    worker = _worker()
    if worker is None:
        yield
        return
    with ExitStack() as stack:
        client = bare_context().run(stack.enter_context, worker_client())
        stack.enter_context(spreading(Dask(client)))
        stack.enter_context(observing(Telling(topic, worker)))
        check(job, store)
        yield


def bare_context() -> Context:
    """A context in which nothing is set but whose worker this is.

    A task that lets its worker take other work starts that work, which would run in the context of the task: with
    its observers, and with a connection to Prefect that the task closes when it ends.
    """
    bare = Context()
    for variable, value in copy_context().items():
        if isinstance(value, Worker):
            bare.run(variable.set, value)
    return bare


def check(job: Job, store: Store) -> None:
    """Refuse a job in a process that cannot make it as it was meant.

    Raises:
        StoreError: the store does not hold what was written down before the job was sent.
        SettingsError: the code of the stage, or one of its models, is another here.
    """
    each = stage(job.stage)
    if store.read_json(store.root / "code" / f"{job.parts['code']}.json") is None:
        raise StoreError(
            f"the worker on {socket.gethostname()} does not see the store {store.root}; on several machines, a store"
            " must be a bucket or a folder that they share"
        )
    params = each.params.model_validate(job.params)
    models = {role: model_identity(role, getattr(params, role)) for role in each.models}
    if (fingerprint(each.target), json_digest(models)) != (job.parts["code"], json_digest(job.parts["models"])):
        raise other_code(job.name)


def _worker() -> Worker | None:
    """The worker whose task this is, if it is one."""
    try:
        return get_worker()
    except ValueError:
        return None


@dataclass(frozen=True)
class Telling:
    """An observer on a worker, which tells a topic how many rows are done."""

    topic: str
    worker: Worker

    def started(self, name: str, rows: int) -> None:
        """Say nothing: whoever sent the job knows."""

    def advanced(self, name: str, rows: int) -> None:
        """Tell that so many more rows are done."""
        self.worker.log_event(self.topic, ["advanced", name, rows])

    def recalled(self, name: str, rows: int) -> None:
        """Tell that so many rows were known from before."""
        self.worker.log_event(self.topic, ["recalled", name, rows])

    def finished(self, outcome: Outcome) -> None:
        """Say nothing: whoever sent the job gets the outcome."""


@dataclass(frozen=True)
class Hearing:
    """An observer that is told of jobs elsewhere, and tells another of those that are going on."""

    beside: Observer
    going: set[str] = field(default_factory=set)

    def started(self, name: str, rows: int) -> None:
        """A job was sent off."""
        self.going.add(name)
        self.beside.started(name, rows)

    def advanced(self, name: str, rows: int) -> None:
        """So many more rows of a job are done."""
        if name in self.going:
            self.beside.advanced(name, rows)

    def recalled(self, name: str, rows: int) -> None:
        """So many rows of a job were known from before."""
        if name in self.going:
            self.beside.recalled(name, rows)

    def finished(self, outcome: Outcome) -> None:
        """A job came back; what is heard of it from now on is late."""
        self.going.discard(outcome.ref.name)
        self.beside.finished(outcome)

    def hear(self, event: Event) -> None:
        """Listen to what a worker told."""
        what, name, rows = event[1]
        tell = self.advanced if what == "advanced" else self.recalled
        tell(str(name), int(rows))


@contextmanager
def hearing(client: Client, topic: str, observer: Observer) -> Iterator[Hearing]:
    """An observer that hears what workers tell a topic."""
    heard = Hearing(observer)
    client.subscribe_topic(topic, heard.hear)
    try:
        yield heard
    finally:
        client.unsubscribe_topic(topic)
