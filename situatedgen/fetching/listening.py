"""Who is told how a download goes."""

from typing import Protocol


class Listener(Protocol):
    """Told when a download begins, as bytes arrive, when it pauses, and when it is over."""

    def started(self, name: str, done: int, total: int | None) -> None:
        """Bytes will follow; so many are there already, out of so many (nothing: not known)."""

    def advanced(self, name: str, size: int) -> None:
        """So many more bytes are there."""

    def paused(self, name: str, reason: str, seconds: float) -> None:
        """Something went wrong; it is tried again after so many seconds."""

    def finished(self, name: str) -> None:
        """All bytes are there."""


class Nobody:
    """The listener that does nothing."""

    def started(self, name: str, done: int, total: int | None) -> None:
        """Do nothing."""

    def advanced(self, name: str, size: int) -> None:
        """Do nothing."""

    def paused(self, name: str, reason: str, seconds: float) -> None:
        """Do nothing."""

    def finished(self, name: str) -> None:
        """Do nothing."""
