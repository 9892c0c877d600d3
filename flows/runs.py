"""Names of flow runs, and the observer of builds that run as a flow in this process."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from prefect.runtime import flow_run

from storage.builds import Observer, SilentObserver

SAMPLE = "sample"


def build_name() -> str:
    """Return the name of a build run, for example `data, embedded → dataset`."""
    given = flow_run.parameters
    sources = Path(given["sources"]).name if given["sources"] else SAMPLE
    return f"{sources}, {Path(given['preset']).stem} → {given['out']}"


def concepts_name() -> str:
    """Return the name of a concept-set build run, for example `captions → concept-sets`."""
    given = flow_run.parameters
    return f"{Path(given['captions']).name} → {given['out']}"


_observer: ContextVar[Observer] = ContextVar("observer", default=SilentObserver())  # noqa: B039 (it has no state)


def observer() -> Observer:
    """Return the current observer."""
    return _observer.get()


@contextmanager
def use_observer(observer: Observer) -> Iterator[None]:
    """Set the observer of the flows called within this block."""
    token = _observer.set(observer)
    try:
        yield
    finally:
        _observer.reset(token)
