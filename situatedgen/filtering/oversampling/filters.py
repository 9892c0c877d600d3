"""Which of the endings that a model wrote stay: each that does not has the first reason that speaks against it."""

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from situatedgen.filtering.committee.words import UNKNOWN
from situatedgen.filtering.oversampling.fates import EndingFate
from situatedgen.filtering.oversampling.params import EndingParams
from situatedgen.filtering.oversampling.sampling import Draw


@dataclass(frozen=True)
class Truth:
    """What is known to be right after a noun phrase: the ending of a row, and those of other rows that begin alike."""

    words: tuple[int, ...]
    others: AbstractSet[tuple[int, ...]]


def is_unfinished(draw: Draw, truth: Truth, params: EndingParams) -> bool:  # noqa: ARG001 (a rule of the table)
    """It reached the longest that an ending may be, and ends unnaturally (appendix A.3)."""
    return not draw.is_finished


def is_rare(draw: Draw, truth: Truth, params: EndingParams) -> bool:  # noqa: ARG001 (a rule of the table)
    """It has a word that the model does not know."""
    return UNKNOWN in draw.words


def is_real(draw: Draw, truth: Truth, params: EndingParams) -> bool:  # noqa: ARG001 (a rule of the table)
    """It is the right ending, or stands in the corpus after the same words."""
    return draw.words == truth.words or draw.words in truth.others


def is_like_the_truth(draw: Draw, truth: Truth, params: EndingParams) -> bool:
    """It has nearly the same words as the right ending.

    Example:
        >>> truth, params = Truth((7, 8, 9), frozenset()), EndingParams(max_overlap=0.6)
        >>> is_like_the_truth(Draw((7, 8, 9, 10), True, 1.0), truth, params)
        True
    """
    own, right = set(draw.words), set(truth.words)
    return len(own & right) > params.max_overlap * len(own | right)


def is_short(draw: Draw, truth: Truth, params: EndingParams) -> bool:
    """It is much shorter than the right ending."""
    return len(draw.words) < max(1, params.min_ratio * len(truth.words))


def is_long(draw: Draw, truth: Truth, params: EndingParams) -> bool:
    """It is much longer than the right ending."""
    return len(draw.words) > params.max_ratio * len(truth.words)


Rule = Callable[[Draw, Truth, EndingParams], bool]
RULES: tuple[tuple[EndingFate, Rule], ...] = (
    (EndingFate.UNFINISHED, is_unfinished),
    (EndingFate.RARE, is_rare),
    (EndingFate.REAL, is_real),
    (EndingFate.LIKE_THE_TRUTH, is_like_the_truth),
    (EndingFate.SHORT, is_short),
    (EndingFate.LONG, is_long),
)
"""What is asked of an ending before its parse, which takes longest."""


def judged(draws: Sequence[Draw], truth: Truth, params: EndingParams) -> Iterator[EndingFate]:
    """What becomes of each ending, as far as its words tell."""
    seen = set[tuple[int, ...]]()
    for draw in draws:
        broken = next((fate for fate, is_broken in RULES if is_broken(draw, truth, params)), EndingFate.KEPT)
        yield EndingFate.REPEATED if broken is EndingFate.KEPT and draw.words in seen else broken
        seen.add(draw.words)
