"""The checks in order: each looks at a view of either statement, and says whether the pair fails."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from situatedgen.screening.reading import Reading
from situatedgen.screening.standing import is_dangling, is_question
from situatedgen.vocabulary import Verdict

View = Callable[[Reading], Hashable]
Fails = Callable[[Any, Any], bool]  # Any: what the check's own view gives


@dataclass(frozen=True, slots=True)
class Check:
    """A named check. Statements of equal views are judged alike, so that each two views are compared once.

    `weight` is how much doubt a pair is in that fails this check alone.
    """

    verdict: Verdict
    view: View
    fails: Fails
    weight: float


def either(left: bool, right: bool) -> bool:
    """Whether one of two statements has a fault of its own."""
    return left or right


CHECKS = (
    Check(Verdict.QUESTION, is_question, either, 0.9),
    Check(Verdict.DANGLING, is_dangling, either, 0.8),
)
