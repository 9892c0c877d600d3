"""Who is told how a build goes: a terminal display, a Prefect progress artifact, or nobody."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

from storage.outcomes import Outcome


class Observer(Protocol):
    """Told when an artifact is begun, when rows are done, and when it is there."""

    def started(self, name: str, rows: int) -> None:
        """An artifact is being made, from so many rows (0: not known)."""

    def advanced(self, name: str, rows: int) -> None:
        """So many more rows are done."""

    def recalled(self, name: str, rows: int) -> None:
        """So many rows were known from before."""

    def finished(self, outcome: Outcome) -> None:
        """An artifact is there."""


class Nobody:
    """The observer that does nothing."""

    def started(self, name: str, rows: int) -> None:
        """Do nothing."""

    def advanced(self, name: str, rows: int) -> None:
        """Do nothing."""

    def recalled(self, name: str, rows: int) -> None:
        """Do nothing."""

    def finished(self, outcome: Outcome) -> None:
        """Do nothing."""


_current: ContextVar[Observer] = ContextVar("observer", default=Nobody())  # noqa: B039 (it has no state)


def current() -> Observer:
    """Who is told at the moment."""
    return _current.get()


@contextmanager
def observing(observer: Observer) -> Iterator[None]:
    """Tell an observer of everything that is built within this block."""
    token = _current.set(observer)
    try:
        yield
    finally:
        _current.reset(token)
