"""What a page tells beside the pair itself: how far one is, what is answered already, and what others said."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from string import ascii_uppercase

from situatedgen.review.criteria import Questionnaire
from situatedgen.review.entries import Judged
from situatedgen.review.queue import Dispute
from situatedgen.seeds import order


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a person is, and how long the rest takes at their pace."""

    done: int
    total: int
    median_seconds: float
    may_undo: bool

    @property
    def left_minutes(self) -> int:
        """Minutes for what is left, rounded up; 0 where there is no pace yet."""
        return -int(-(self.total - self.done) * self.median_seconds // 60)


@dataclass(frozen=True, slots=True)
class Opinion:
    """What somebody answered about a pair, under a letter in place of their name."""

    letter: str
    answers: Mapping[str, str]
    note: str


def progress(own: Sequence[Judged], *, total: int, left: int) -> Progress:
    """How far a person is, by their own decisions."""
    seconds = [decision.seconds for decision in own if decision.seconds > 0]
    return Progress(total - left, total, float(median(seconds)) if seconds else 0.0, bool(own))


def defaults(questions: Questionnaire, dispute: Dispute | None) -> dict[str, str]:
    """The answers that stand when a pair appears: that nothing is wrong with it; in a dispute what all agree on."""
    if dispute is None:
        return {each.name: next(a.name for a in each.answers if not a.is_fault) for each in questions.criteria}
    first = dispute.decisions[0].answers
    return {name: first[name] for name in questions.names if name not in dispute.differing}


def opinions(dispute: Dispute) -> tuple[Opinion, ...]:
    """What people answered, by letters that are dealt anew for each pair, so that no letter gets a reputation."""
    dealt = order(0, f"readings {dispute.pair}", len(dispute.decisions))
    said = [dispute.decisions[number] for number in dealt]
    return tuple(
        Opinion(letter, decision.answers, decision.note)
        for letter, decision in zip(ascii_uppercase, said, strict=False)
    )
