"""How long work tells whoever is watching how far it is, and how much of it was known already."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class Progress(Protocol):
    """Shows how long work goes: downloads, answers, the steps of a training, each by its name."""

    def start(self, name: str, total: int | None, done: int = 0) -> None:
        """Steps will follow, out of so many (nothing: not known); so many are done already."""

    def advance(self, name: str, steps: int, note: str = "") -> None:
        """So many more steps are done; the note says what else there is to know."""

    def tell(self, line: str) -> None:
        """Something happened that a person should read."""

    def finish(self, name: str) -> None:
        """All steps are done."""


class Silent:
    """The progress that is shown to nobody."""

    def start(self, name: str, total: int | None, done: int = 0) -> None:
        """Show nothing."""

    def advance(self, name: str, steps: int, note: str = "") -> None:
        """Show nothing."""

    def tell(self, line: str) -> None:
        """Show nothing."""

    def finish(self, name: str) -> None:
        """Show nothing."""


Listener = Callable[[int], None]


def _nobody(rows: int) -> None:
    """Nobody is watching."""


_computing: ContextVar[Listener] = ContextVar("computing", default=_nobody)
_recalling: ContextVar[Listener] = ContextVar("recalling", default=_nobody)


def advance(rows: int) -> None:
    """Tell the listener that so many more rows were computed."""
    _computing.get()(rows)


def recalled(rows: int) -> None:
    """Tell the listener that so many more rows were known from before."""
    _recalling.get()(rows)


@contextmanager
def listening(computed: Listener, recalled: Listener = _nobody) -> Iterator[None]:
    """Send what `advance` and `recalled` say within this block to listeners."""
    tokens = _computing.set(computed), _recalling.set(recalled)
    try:
        yield
    finally:
        _computing.reset(tokens[0])
        _recalling.reset(tokens[1])


@contextmanager
def unheard() -> Iterator[None]:
    """Let nobody hear what is said within this block: whoever gave the work counts it."""
    with listening(_nobody):
        yield
