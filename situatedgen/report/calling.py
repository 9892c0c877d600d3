"""Who makes a call: this process, or one beside it."""

from collections.abc import Callable
from typing import Protocol, TypeVar

Answer = TypeVar("Answer")


class Caller(Protocol):
    """Makes a call of a function that stands in a module; what it takes and answers may go between processes."""

    def __call__(self, function: Callable[..., Answer], /, *given: object) -> Answer:
        """What the function answers."""


def called_here(function: Callable[..., Answer], /, *given: object) -> Answer:
    """What a function answers, called in this process."""
    return function(*given)
