"""How doubtful a pair is that fails no check: how far it is from one sentence said of two things."""

from situatedgen.screening.clauses import Clause
from situatedgen.screening.comparing import Outline, matches, theme_distance
from situatedgen.screening.frames import Frame, prior_doubt
from situatedgen.screening.kinds import CLOSE
from situatedgen.screening.standing import is_long_winded

PLAIN = 18
"""Words of a plain sentence."""
# What each difference adds; read off pairs that were judged by eye.
OTHER_KIND, OTHER_VERB, OTHER_NAMING, LONG = 0.3, 0.2, 0.5, 0.31
LOOSE, HEDGED, DENIED, LENGTH = 0.2, 0.15, 0.4, 0.02
SYNONYMS = (
    frozenset({"be", "lie", "locate", "situate"}),
    frozenset({"die", "pass", "pass away"}),
    frozenset({"found", "establish"}),
    frozenset({"happen", "occur", "take place"}),
    frozenset({"release", "publish", "come out"}),
)
"""Verbs that say the same in other words."""
ANOTHER_WORD = 0.05
OFTEN = 0.3
PASSING = 0.4
OTHER_REST = 0.4
ALIKE = 0.9
"""Masked texts that are as similar as this add nothing."""
LENGTHS = 3
"""Words by which two sentences may differ for nothing."""
MOST = 0.99


def difference(left: Outline, right: Outline) -> float:
    """How far two outlines are apart: the least of their frames."""
    found = matches(left, right)
    apart = min((_frames_apart(one, other) for one, other in found), default=1.0)
    return apart + _verbs_apart(left.verb, right.verb)


def _verbs_apart(one: str, other: str) -> float:
    if one == other:
        return 0
    return ANOTHER_WORD if any({one, other} <= same for same in SYNONYMS) else OTHER_VERB


def _frames_apart(one: Frame, other: Frame) -> float:
    if not one.relations & other.relations or one.where != other.where:
        return 1.0
    return (
        prior_doubt(one.relations & other.relations)
        + OTHER_KIND * (theme_distance(one, other) >= CLOSE)
        + OTHER_NAMING * (one.is_named != other.is_named)
        + LOOSE * (not one.is_specific) / 2
        + LOOSE * (not other.is_specific) / 2
        + HEDGED * (one.is_hedged + other.is_hedged)
        + DENIED * one.is_negated
        + OFTEN * (one.context == "often")
        + PASSING * (one.is_passing or other.is_passing)
        + OTHER_REST * (one.rest != other.rest and "" not in (one.rest, other.rest))
    )


def burden(clause: Clause) -> tuple[bool, int]:
    """Whether a statement is more than one plain clause, and how many words it has."""
    return is_long_winded(clause, PLAIN), len(clause.words)


def imbalance(left: tuple[bool, int], right: tuple[bool, int]) -> float:
    """What two statements that are long, or of unlike length, add."""
    return LONG * (left[0] + right[0]) + LENGTH * max(0, abs(left[1] - right[1]) - LENGTHS)
