"""Baselines that only move the keywords about."""

from collections.abc import Sequence

from situatedgen.baselines.aids import Aids
from situatedgen.baselines.cases import Case
from situatedgen.dataset.configuration import KEYWORD_SEPARATOR
from situatedgen.seeds import generator


def copied(cases: Sequence[Case], aids: Aids) -> list[str]:  # noqa: ARG001
    """The keywords as they were given, in one line."""
    return [listed(case.keywords) for case in cases]


def halves(cases: Sequence[Case], aids: Aids) -> list[str]:
    """The keywords shuffled, half of them in each of two lines that end like sentences."""
    return [_halves(case, aids.seed) for case in cases]


def listed(keywords: Sequence[str]) -> str:
    """Keywords as a line that begins and ends like a sentence.

    Example:
        >>> listed(["winter", "Australia", "July"])
        'Winter, Australia, July.'
    """
    line = KEYWORD_SEPARATOR.join(keywords)
    return capitalised(line if line.endswith(".") else f"{line}.")


def capitalised(text: str) -> str:
    """A text with its first letter upper, and the others as they are."""
    return f"{text[:1].upper()}{text[1:]}"


def _halves(case: Case, seed: int) -> str:
    shuffled = list(case.keywords)
    generator(seed, "halves", case.example_id).shuffle(shuffled)
    middle = (len(shuffled) + 1) // 2
    return " ".join(listed(half) for half in (shuffled[:middle], shuffled[middle:]) if half)
