"""Who is told how a training goes."""

from typing import Protocol

from situatedgen.training.curve import Point


class Listener(Protocol):
    """Told when a training begins or goes on, at every step, while it writes for dev, and after each epoch."""

    def started(self, done: int, total: int) -> None:
        """Steps will follow; so many are done already, out of so many."""

    def advanced(self, step: int) -> None:
        """So many steps are done."""

    def writing(self, done: int, total: int) -> None:
        """The sentences of so many of all dev batches are written."""

    def measured(self, point: Point) -> None:
        """An epoch is over, and this is what came of it."""


class Nobody:
    """The listener that does nothing."""

    def started(self, done: int, total: int) -> None:
        """Do nothing."""

    def advanced(self, step: int) -> None:
        """Do nothing."""

    def writing(self, done: int, total: int) -> None:
        """Do nothing."""

    def measured(self, point: Point) -> None:
        """Do nothing."""
