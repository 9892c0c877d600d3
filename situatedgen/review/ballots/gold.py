"""What becomes a question after people ranked its endings: the rules of section 3.5 of Zellers et al. (2018).

The found ending is the right one by the data; all others were generated.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from situatedgen.review.ballots.rankings import Ranking
from situatedgen.review.ballots.tasks import Likelihood, Place


class Fate(StrEnum):
    """What became of an item, the first reason first."""

    KEPT = "kept"
    UNJUDGED = "unjudged"
    FOUND_GIBBERISH = "found_gibberish"
    TOO_FEW_SENSIBLE = "too_few_sensible"
    FOUND_NOT_PREFERRED = "found_not_preferred"
    UNDECIDED = "undecided"
    TOO_FEW_WRONG = "too_few_wrong"


@dataclass(frozen=True, slots=True)
class GoldRules:
    """The paper's numbers: endings that must be English, and the wrong answers that a question needs.

    In the paper a likely ending may be a wrong answer; with `only_unlikely` it may not.
    """

    min_sensible: int = 3
    wrong: int = 3
    only_unlikely: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """A question: the place of its right ending, and those that may be its wrong ones."""

    gold: int
    wrong: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an item, and the questions it gives: one, or in training two, or none."""

    fate: Fate
    questions: tuple[Question, ...] = ()


def outcome(rankings: Sequence[Ranking], found: int, *, is_training: bool, rules: GoldRules | None = None) -> Outcome:
    """What becomes of an item whose endings some people ranked.

    One person decides, as in the paper. Of several, the found ending must be among the best two for more than half; an
    ending is gibberish where half of them say so; and one that anybody called best is no wrong answer.
    """
    rules = rules or GoldRules()
    if not rankings:
        return Outcome(Fate.UNJUDGED)
    left_out = _called(rankings, Likelihood.LIKELY) if rules.only_unlikely else frozenset()
    generated = _sensible(rankings) - left_out - {found}
    wrong = tuple(sorted(generated - {each.best for each in rankings}))
    fate = _fate(rankings, found, wrong, rules)
    if fate is not Fate.KEPT:
        return Outcome(fate)
    further = _further(rankings, found, generated, rules) if is_training else ()
    return Outcome(fate, (Question(found, wrong), *further))


def _fate(rankings: Sequence[Ranking], found: int, wrong: Sequence[int], rules: GoldRules) -> Fate:
    sensible = _sensible(rankings)
    if found not in sensible:
        return Fate.FOUND_GIBBERISH
    if len(sensible) < rules.min_sensible:
        return Fate.TOO_FEW_SENSIBLE
    balance = 2 * sum(is_preferred(each, found) for each in rankings) - len(rankings)
    if balance <= 0:
        return Fate.UNDECIDED if balance == 0 else Fate.FOUND_NOT_PREFERRED
    return Fate.TOO_FEW_WRONG if len(wrong) < rules.wrong else Fate.KEPT


def is_preferred(ranking: Ranking, found: int) -> bool:
    """Whether a person puts an ending among the best two."""
    return ranking.place(found) is not Place.NEITHER


def _sensible(rankings: Sequence[Ranking]) -> frozenset[int]:
    """The endings that fewer than half of all people call gibberish."""
    return frozenset(range(len(rankings[0].likelihoods))) - _called(rankings, Likelihood.GIBBERISH)


def _called(rankings: Sequence[Ranking], likelihood: Likelihood) -> frozenset[int]:
    """The endings that at least half of all people call so."""
    told = Counter(ending for each in rankings for ending in each.called(likelihood))
    return frozenset(ending for ending, count in told.items() if 2 * count >= len(rankings))


def _further(
    rankings: Sequence[Ranking], found: int, generated: frozenset[int], rules: GoldRules
) -> tuple[Question, ...]:
    """The generated ending that people put before the found one, which they put second, as a right one itself."""
    told = Counter(each.best for each in rankings if each.second == found)
    for best, count in told.most_common(1):
        wrong = tuple(sorted(generated - {best}))
        if 2 * count > len(rankings) and best in _sensible(rankings) and len(wrong) >= rules.wrong:
            return (Question(best, wrong),)
    return ()
