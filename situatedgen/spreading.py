"""How long work is spread out: unit by unit, in this process or wherever whoever runs it says."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol, TypeVar

Made = TypeVar("Made")
Unit = tuple[object, ...]
Numbered = Iterator[tuple[int, Made]]


class Spreader(Protocol):
    """Gives units of work to others; every unit is done once, whatever becomes of those who do it."""

    def spread(self, function: Callable[..., Made], units: Sequence[Unit]) -> Numbered[Made]:
        """The number of each unit and what the function makes of it, as they come.

        Function and units must be fit to be sent to another process. An array that stands in several units
        is sent once.
        """


_spreader: ContextVar[Spreader | None] = ContextVar("spreader", default=None)


def current() -> Spreader | None:
    """Who is given units at the moment; nobody where work stays in this process."""
    return _spreader.get()


def spread(function: Callable[..., Made], units: Sequence[Unit]) -> list[Made]:
    """What the function makes of each unit, in the order of the units, wherever it was made."""
    spreader = _spreader.get()
    made = dict(spreader.spread(function, units) if spreader else here(function, units))
    return [made[number] for number in range(len(units))]


def here(function: Callable[..., Made], units: Sequence[Unit]) -> Numbered[Made]:
    """The number of each unit and what the function makes of it, one after the other in this process."""
    for number, unit in enumerate(units):
        yield number, function(*unit)


@contextmanager
def spreading(spreader: Spreader) -> Iterator[None]:
    """Give the units of all work within this block to a spreader."""
    token = _spreader.set(spreader)
    try:
        yield
    finally:
        _spreader.reset(token)
