"""Names of flow runs, and the observer of a build that runs as a flow in this process."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from prefect.runtime import flow_run

from storage.builds import Observer, SilentObserver

SAMPLE = "sample"


def build_name() -> str:
    """What a build makes of what, for example `data, embedded → dataset`."""
    given = flow_run.parameters
    sources = Path(given["sources"]).name if given["sources"] else SAMPLE
    return f"{sources}, {Path(given['preset']).stem} → {given['out']}"


def concepts_name() -> str:
    """What a build of concept sets makes of what, for example `captions → concept-sets`."""
    given = flow_run.parameters
    return f"{Path(given['captions']).name} → {given['out']}"


_observer: ContextVar[Observer] = ContextVar("observer", default=SilentObserver())  # noqa: B039 (it has no state)


def observer() -> Observer:
    """Who watches at the moment."""
    return _observer.get()


@contextmanager
def observing(observer: Observer) -> Iterator[None]:
    """Let an observer watch the flows that are called within this block."""
    token = _observer.set(observer)
    try:
        yield
    finally:
        _observer.reset(token)
