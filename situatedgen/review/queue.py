"""What people are asked: pairs in an order that is the same for everyone, and those about which they differ."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from situatedgen.review.criteria import QUESTIONNAIRES, Mode, Questionnaire
from situatedgen.review.decisions import Content, Decision
from situatedgen.review.standing import votes
from situatedgen.seeds import generator


@dataclass(frozen=True, slots=True)
class Pair:
    """A pair as it is shown to people: an example of a dataset."""

    example_id: str
    split: str
    keywords: tuple[str, ...]
    content: Content
    probability: float | None = None

    @property
    def doubt(self) -> float:
        """How probable it is that the pair is not valid; none where nobody judged it."""
        return 0.0 if self.probability is None else 1 - self.probability

    @property
    def key(self) -> str:
        """The key that decisions about it are known by."""
        return self.content.key


@dataclass(frozen=True, slots=True)
class Dispute:
    """A pair about which people differ: what each decided, by name, and the questions they answered differently."""

    pair: str
    questions: Questionnaire
    decisions: tuple[Decision, ...]
    differing: tuple[str, ...]

    @property
    def is_about_validity(self) -> bool:
        """Whether some would keep the pair and others not."""
        return len({decision.is_valid for decision in self.decisions}) > 1


def ordered(pairs: Iterable[Pair], *, seed: int) -> list[Pair]:
    """Pairs once each, the least probably valid first; among equals in a random order that a rebuild does not change.

    The place of a pair comes from the seed and its own content, so that everyone meets the pairs in the same order
    (so that the first hundred are everybody's) and a pair more or less moves no other.
    """
    distinct = {pair.key: pair for pair in sorted(pairs, key=lambda pair: pair.example_id, reverse=True)}
    return sorted(distinct.values(), key=lambda pair: (-pair.doubt, _draw(pair, seed, "review"), pair.key))


def sampled(pairs: Iterable[Pair], size: int, *, seed: int) -> list[Pair]:
    """A random sample, in random order: doubt plays no part in it. All pairs where there are not so many.

    Those with the smallest draws, so that a larger sample holds every smaller one.
    """
    distinct = {pair.key: pair for pair in sorted(pairs, key=lambda pair: pair.example_id, reverse=True)}
    return sorted(distinct.values(), key=lambda pair: (_draw(pair, seed, "sample"), pair.key))[:size]


def disputes(decisions: Sequence[Decision], *, mode: Mode, is_open: bool = True) -> list[Dispute]:
    """The pairs about which people differ in a mode; only those that nobody settled, unless all are asked for.

    Those where it decides whether the pair stays come first.
    """
    settled = {each.pair for each in decisions if each.mode is Mode.ADJUDICATE and each.questions.mode is mode}
    found = [_dispute(pair, cast.people, QUESTIONNAIRES[mode]) for pair, cast in votes(decisions, [mode]).items()]
    wanted = [each for each in found if each.differing and not (is_open and each.pair in settled)]
    return sorted(wanted, key=lambda each: (not each.is_about_validity, each.pair))


def _dispute(pair: str, decisions: tuple[Decision, ...], questions: Questionnaire) -> Dispute:
    differing = tuple(name for name in questions.names if len({each.answers[name] for each in decisions}) > 1)
    return Dispute(pair, questions, decisions, differing)


def _draw(pair: Pair, seed: int, purpose: str) -> float:
    return generator(seed, purpose, pair.key).random()
