"""How long work tells whoever is watching how far it is."""

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
