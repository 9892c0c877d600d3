"""Interface for reporting the progress of long-running work."""

from typing import Protocol


class Progress(Protocol):
    """Reports the progress of named tasks such as downloads, model calls and training."""

    def start(self, name: str, total: int | None, done: int = 0) -> None:
        """Start a task of `total` steps (None if unknown), `done` of which are already complete."""

    def advance(self, name: str, steps: int, note: str = "") -> None:
        """Record `steps` more completed steps, with an optional note."""

    def tell(self, line: str) -> None:
        """Show a message to the user."""

    def finish(self, name: str) -> None:
        """Mark a task as complete."""


class Silent:
    """Progress that reports nothing."""

    def start(self, name: str, total: int | None, done: int = 0) -> None:
        """Show nothing."""

    def advance(self, name: str, steps: int, note: str = "") -> None:
        """Show nothing."""

    def tell(self, line: str) -> None:
        """Show nothing."""

    def finish(self, name: str) -> None:
        """Show nothing."""
