"""The checks in order: each looks at a view of either statement, and says whether the pair fails."""

from collections.abc import Callable, Hashable, Set
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from situatedgen.screening import periods, regions
from situatedgen.screening.clauses import Clause
from situatedgen.screening.comparing import (
    other_relation,
    other_roles,
    other_sense,
    outline_of,
    place_against_time,
    true_of_many,
    unlike_subjects,
)
from situatedgen.screening.facts import Words, content_of, same_fact, stated_swapped
from situatedgen.screening.standing import is_broken, is_dangling, is_fragment, is_question
from situatedgen.vocabulary import Verdict

View = Callable[[Clause], Hashable]
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


def checks(stated: Set[Words]) -> tuple[Check, ...]:
    """Every check; `stated` holds the keywords of each statement there is."""
    return (
        Check(Verdict.OTHER_RELATION, outline_of, other_relation, 0.8),
        Check(Verdict.PLACE_AGAINST_TIME, outline_of, place_against_time, 0.7),
        Check(Verdict.OTHER_ROLES, outline_of, other_roles, 0.5),
        Check(Verdict.UNLIKE_SUBJECTS, outline_of, unlike_subjects, 0.6),
        Check(Verdict.OTHER_SENSE, outline_of, other_sense, 0.7),
        Check(Verdict.TRUE_OF_MANY, outline_of, true_of_many, 0.6),
        Check(Verdict.FRAGMENT, is_fragment, either, 0.9),
        Check(Verdict.QUESTION, is_question, either, 0.9),
        Check(Verdict.DANGLING, is_dangling, either, 0.8),
        Check(Verdict.BROKEN, is_broken, either, 0.8),
        Check(Verdict.PLACE_WITHIN, _regions, regions.lie_within, 0.8),
        Check(Verdict.TIME_WITHIN, _periods, periods.lie_within, 0.7),
        Check(Verdict.SAME_FACT, _content, same_fact, 0.8),
        Check(Verdict.STATED_SWAPPED, _content, partial(stated_swapped, stated=stated), 0.9),
    )


def _content(clause: Clause) -> Hashable:
    name = clause.subject_name
    return replace(content_of(clause.reading), said_of=f"{name} {clause.phrase}" if name else "")


def _regions(clause: Clause) -> Hashable:
    return regions.regions_of(clause.reading)


def _periods(clause: Clause) -> Hashable:
    return periods.periods_of(clause.reading)
