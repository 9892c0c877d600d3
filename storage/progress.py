"""Observers of a build: a terminal display, or none."""

from typing import Protocol

from storage.builds import Outcome


class Observer(Protocol):
    """Told when an artifact is begun, when a batch of rows is done, and when it is there."""

    def started(self, name: str, rows: int) -> None:
        """An artifact is being made, from so many rows (0: not known)."""

    def advanced(self, name: str, rows: int) -> None:
        """So many more rows are done."""

    def finished(self, outcome: Outcome) -> None:
        """An artifact is there."""


class SilentObserver:
    """The observer that does nothing."""

    def started(self, name: str, rows: int) -> None:
        """Do nothing."""

    def advanced(self, name: str, rows: int) -> None:
        """Do nothing."""

    def finished(self, outcome: Outcome) -> None:
        """Do nothing."""
