"""What becomes of a pair, from everything people decided about it."""

from collections import Counter
from dataclasses import dataclass

from situatedgen.review.criteria import CRITERIA
from situatedgen.review.decisions import Decision
from situatedgen.review.standing import Votes


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether a pair stays, why not, how many people decided, and whether they were evenly divided."""

    is_valid: bool
    faults: tuple[str, ...]
    people: int
    is_tied: bool = False
    is_settled: bool = False


def judgement(votes: Votes) -> Judgement:
    """The verdict on a pair.

    The latest adjudication decides, for whoever gave it saw what the others had answered and why. Without one, each
    person has one voice, whether they would keep the pair as a whole: the one voice there is decides, of several
    the majority. A tie is no reason to drop anything: the pair stays, and is doubtful until someone settles it.
    """
    if votes.adjudications:
        final = votes.adjudications[-1]
        return Judgement(final.is_valid, final.faults, len(votes.people), is_settled=True)
    against = [decision for decision in votes.people if not decision.is_valid]
    balance = len(votes.people) - 2 * len(against)
    faults = _faults(against) if balance < 0 else ()
    return Judgement(balance >= 0, faults, len(votes.people), is_tied=balance == 0)


def _faults(against: list[Decision]) -> tuple[str, ...]:
    """What those who rejected a pair found wrong with it, in the order of the questions."""
    counts = Counter(name for decision in against for name in decision.faults)
    return tuple(name for name in CRITERIA if counts[name])
