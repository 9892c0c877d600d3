"""How far a long stage is, as a progress artifact beside its task run."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast
from uuid import UUID

import httpx
from prefect.artifacts import create_progress_artifact, update_progress_artifact

from storage.observers import Observer
from storage.outcomes import Outcome
from tasks.showing import words

log = logging.getLogger(__name__)

EVERY = 2.0
"""Seconds between two looks at a stage; one that is done sooner is not shown."""
MINUTE = 60


@dataclass
class Work:
    """An artifact in the making: its name, how many rows go in, when it was begun, and how far it is."""

    name: str
    rows: int
    began: float
    computed: int = 0
    recalled: int = 0

    @property
    def percent(self) -> float:
        """How much is done; never all of it, for the table is still to be written."""
        return min(99.0, 100 * (self.computed + self.recalled) / self.rows) if self.rows else 0.0

    def words(self, now: float) -> str:
        """How far it is: rows, rate, and the time that is left where it can be told."""
        done, rate = self.computed + self.recalled, self.computed / max(now - self.began, 1e-3)
        whole = f" of {self.rows:,}" if done <= self.rows else ""
        left = f", {_duration((self.rows - done) / rate)} left" if whole and rate else ""
        return f"{self.name}: {done:,}{whole} rows, {rate:,.0f} a second{left}"


class Progressing:
    """An observer that shows the artifact in hand as it grows, and tells another observer everything."""

    def __init__(self, beside: Observer, clock: Callable[[], float] = time.monotonic) -> None:
        self._beside = beside
        self._clock = clock
        self._work = Work("", 0, clock())
        self._shown = clock()
        self._artifact: UUID | None = None

    def started(self, name: str, rows: int) -> None:
        """Begin to measure, and show nothing yet."""
        self._beside.started(name, rows)
        self._shown = self._clock()
        self._work = Work(name, rows, self._shown)

    def advanced(self, name: str, rows: int) -> None:
        """Count rows that were computed, and show them now and then."""
        self._beside.advanced(name, rows)
        self._work.computed += rows
        self._look()

    def recalled(self, name: str, rows: int) -> None:
        """Count rows that were known."""
        self._beside.recalled(name, rows)
        self._work.recalled += rows
        self._look()

    def finished(self, outcome: Outcome) -> None:
        """Show that it is done, where it was shown at all."""
        self._beside.finished(outcome)
        if self._artifact is not None:
            self._show(100.0, f"{outcome.ref.name}: {words(outcome)}")

    def _look(self) -> None:
        now = self._clock()
        if now - self._shown >= EVERY:
            self._shown = now
            self._show(self._work.percent, self._work.words(now))

    def _show(self, percent: float, description: str) -> None:
        """Create the artifact or change it; a server that does not answer stops no build."""
        try:
            if self._artifact is None:
                key = f"progress-{_key(self._work.name)}"
                made = create_progress_artifact(percent, key=key, description=description)
                self._artifact = cast("UUID", made)  # a coroutine only where an event loop runs
            else:
                update_progress_artifact(self._artifact, percent, description=description)
        except httpx.HTTPError as error:
            log.warning("progress of %s is not shown: %s", self._work.name, error)


def _key(name: str) -> str:
    """A name in the letters that Prefect allows a key."""
    return "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in name.lower())


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < MINUTE else f"{seconds / MINUTE:.0f} min"
