"""Who watches a build that runs as a flow in this process, such as the command line's display.

The parameters of a flow are JSON that Prefect keeps, so that an observer cannot be one of them.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from storage.progress import Observer, SilentObserver

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
