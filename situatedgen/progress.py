"""How long work tells whoever is watching how far it is."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[int], None]


def _nobody(rows: int) -> None:
    """Nobody is watching."""


_listener: ContextVar[Listener] = ContextVar("listener", default=_nobody)


def advance(rows: int) -> None:
    """Tell the listener that so many more rows are done."""
    _listener.get()(rows)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Send what `advance` says within this block to a listener."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
