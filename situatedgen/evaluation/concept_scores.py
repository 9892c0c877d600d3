"""The scores of what was written for concept sets."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ConceptScores:
    """The score of each metric out of 100, and why others could not run."""

    replies: int
    values: Mapping[str, float]
    absent: Mapping[str, str]
