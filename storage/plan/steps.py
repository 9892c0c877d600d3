"""What a plan says of each artifact, and of the whole build in one line."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """What a build will do with an artifact: find it, make it of much that is known, or make it."""

    CACHED = "cached"
    PARTIAL = "partial"
    RUN = "run"


@dataclass(frozen=True, slots=True)
class Step:
    """What a build will do with one artifact, and why.

    `rows` of `of` are to be computed: answers of a model where `asks`, else rows of the table; nothing where
    that is not known before the run. `up_to` says that there may be fewer.
    """

    artifact: str
    status: Status
    rows: int | None = 0
    of: int | None = 0
    reasons: tuple[str, ...] = ()
    up_to: bool = False
    asks: bool = False

    @property
    def amount(self) -> str:
        """The rows in words: `up to 12 of 4,012`."""
        if self.status is Status.CACHED or self.rows is None:
            return ""
        whole = "" if self.of in (None, self.rows) else f" of {self.of:,}"
        return f"{'up to ' if self.up_to else ''}{self.rows:,}{whole}"

    def as_json(self) -> dict[str, object]:
        """The step as a JSON value."""
        return {
            "artifact": self.artifact,
            "status": self.status.value,
            "rows": self.rows,
            "of": self.of,
            "up_to": self.up_to,
            "reasons": list(self.reasons),
        }


def summary(steps: Sequence[Step]) -> str:
    """A plan in one line: how many artifacts are to be made, with how many answers of models."""
    made = [step for step in steps if step.status is not Status.CACHED]
    if not made:
        return f"nothing to make: all {len(steps)} artifacts are cached"
    return f"{len(made)} of {len(steps)} artifacts to make, {_answers([step for step in made if step.asks])}"


def _answers(steps: Sequence[Step]) -> str:
    counts = [step.rows for step in steps if step.rows is not None]
    if len(counts) < len(steps):
        return f"at least {sum(counts):,} model answers"
    up_to = "up to " if any(step.up_to for step in steps) else ""
    return f"{up_to}{sum(counts):,} model answers" if sum(counts) else "no model answers"
