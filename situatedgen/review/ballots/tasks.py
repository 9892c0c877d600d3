"""What people are asked of several texts, declared once: to rank endings, or to prefer one of two."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from situatedgen.review.criteria import Answer, Criterion


class Task(StrEnum):
    """What a person does with several texts."""

    RANK = "rank"
    PREFER = "prefer"


class Place(StrEnum):
    """Where a person puts a text among the others, from the best."""

    BEST = "best"
    SECOND = "second"
    NEITHER = "neither"


class Likelihood(StrEnum):
    """How good a person finds a text by itself, from the best."""

    LIKELY = "likely"
    UNLIKELY = "unlikely"
    GIBBERISH = "gibberish"


BETTER, EQUAL = "better", "equal"
"""The question of a comparison, and its answer where neither text is better."""


@dataclass(frozen=True, slots=True)
class Instructions:
    """A task as it is put to people: what it is for, its questions, and what one thing to judge is called."""

    task: Task
    title: str
    goal: str
    noun: str
    criteria: tuple[Criterion, ...]


RANK = Instructions(
    Task.RANK,
    title="Rank",
    goal="Choose the best and the second best, and say of each whether it is likely. Judge by what most people know.",
    noun="ranking",
    criteria=(
        Criterion(
            "place",
            "Which two are the best?",
            "The one that fits best and the one that fits second best, even where none or several fit.",
            "it is not among the best two",
            (
                Answer(Place.BEST, "", "Best"),
                Answer(Place.SECOND, "", "2nd"),
                Answer(Place.NEITHER, "", "Neither"),
            ),
        ),
        Criterion(
            "likelihood",
            "How likely is each by itself?",
            "Likely: it is reasonable. Unlikely: it sounds ridiculous or impossible, or is not so. Gibberish: it has"
            " such serious errors that it does not feel like English.",
            "it is not likely",
            (
                Answer(Likelihood.LIKELY, "q", "Likely"),
                Answer(Likelihood.UNLIKELY, "w", "Unlikely"),
                Answer(Likelihood.GIBBERISH, "e", "Gibberish"),
            ),
        ),
    ),
)
PREFER = Instructions(
    Task.PREFER,
    title="Compare",
    goal="Two texts for the same keywords. Which of them says what is more plausible? You are not told who wrote them.",
    noun="comparison",
    criteria=(
        Criterion(
            BETTER,
            "Which one is more plausible?",
            "The one that describes what could more easily be so, and says it in better English. Equal, where you"
            " cannot prefer either.",
            "it is less plausible",
            (Answer("1", "1", "First"), Answer("2", "2", "Second"), Answer(EQUAL, "3", "Equal")),
        ),
    ),
)
INSTRUCTIONS: Mapping[Task, Instructions] = {each.task: each for each in (RANK, PREFER)}
