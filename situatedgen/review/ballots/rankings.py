"""What answers say: a ranking of texts, or which of two is better."""

from collections.abc import Mapping
from dataclasses import dataclass

from situatedgen.errors import DecisionError
from situatedgen.review.ballots.tasks import BETTER, EQUAL, Likelihood, Place


@dataclass(frozen=True, slots=True)
class Ranking:
    """What one person thinks of texts, by their places in the list of them: the best two, and how likely each is."""

    best: int
    second: int
    likelihoods: tuple[Likelihood, ...]

    def place(self, text: int) -> Place:
        """Where this person puts a text."""
        return {self.best: Place.BEST, self.second: Place.SECOND}.get(text, Place.NEITHER)

    def called(self, likelihood: Likelihood) -> frozenset[int]:
        """The texts that this person calls so."""
        return frozenset(text for text, found in enumerate(self.likelihoods) if found is likelihood)


def check_ranking(answers: Mapping[str, str], size: int) -> None:
    """Refuse answers that are no ranking of so many texts.

    Raises:
        DecisionError: a text has no likelihood, or the best two are not two of them.
    """
    numbers = [str(number) for number in range(1, size + 1)]
    expected = {Place.BEST.value, Place.SECOND.value, *numbers}
    if answers.keys() != expected:
        missing, unknown = sorted(expected - answers.keys()), sorted(answers.keys() - expected)
        said = [f"no answer to {', '.join(missing)}"] if missing else []
        raise DecisionError("; ".join([*said, *([f"unknown {', '.join(unknown)}"] if unknown else [])]))
    best, second = answers[Place.BEST], answers[Place.SECOND]
    if best not in numbers or second not in numbers or best == second:
        raise DecisionError(f"the best two of {size} texts cannot be {best!r} and {second!r}")
    strange = [answers[number] for number in numbers if answers[number] not in set(Likelihood)]
    if strange:
        raise DecisionError(f"{strange[0]!r} is not a likelihood; known: {', '.join(Likelihood)}")


def check_comparison(answers: Mapping[str, str], size: int) -> None:
    """Refuse answers that do not say which of two texts is better.

    Raises:
        DecisionError: there are not two texts, or something else is answered.
    """
    if size != 2:
        raise DecisionError(f"two texts are compared, not {size}")
    if answers.keys() != {BETTER} or answers[BETTER] not in {"1", "2", EQUAL}:
        raise DecisionError(f"expected {BETTER} to be 1, 2 or {EQUAL}, found {dict(answers)}")


def ranking(answers: Mapping[str, str]) -> Ranking:
    """The ranking that checked answers say."""
    numbers = range(1, len(answers) - 1)
    likelihoods = tuple(Likelihood(answers[str(number)]) for number in numbers)
    return Ranking(int(answers[Place.BEST]) - 1, int(answers[Place.SECOND]) - 1, likelihoods)
