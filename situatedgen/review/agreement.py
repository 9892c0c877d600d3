"""How far the people who judge agree, question by question and in the whole, and how they work."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median

import numpy as np

from situatedgen.evaluation.intervals import CONFIDENCE, RESAMPLES
from situatedgen.evaluation.statistics import Numbers, Statistics
from situatedgen.review import coefficients
from situatedgen.review.ballots.tasks import Task
from situatedgen.review.criteria import QUESTIONNAIRES, Mode, Questionnaire
from situatedgen.review.decisions import Decision
from situatedgen.review.ratings import Ratings, ratings
from situatedgen.seeds import generator

OVERALL = "valid"
"""The name of the question that is in all questions: would this person keep the pair?"""
VALIDITY = ("yes", "no")


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number and its bootstrap interval (95 %); nothing where it is not defined."""

    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Between:
    """How far two people agree on the pairs that both decided."""

    left: str
    right: str
    pairs: int
    percent: Estimate
    kappa: Estimate


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far people agree on one question: all of them together, and two by two.

    `pairs` counts those that at least two people decided. `criterion` is the question's name, or `OVERALL`.
    """

    criterion: str
    pairs: int
    percent: Estimate
    alpha: Estimate
    between: tuple[Between, ...]


@dataclass(frozen=True, slots=True)
class Work:
    """What one person did: decisions that stand, the pairs they would keep, and the seconds they took a pair.

    Of rankings, `valid` counts those with the right text among the best two; it is none where nobody knows that.
    """

    annotator: str
    decisions: int
    valid: int | None
    median_seconds: float


@dataclass(frozen=True, slots=True)
class Report:
    """The agreement of a mode: the whole first, then question by question; and what each person did."""

    mode: Mode | Task
    overall: Agreement
    criteria: tuple[Agreement, ...]
    people: tuple[Work, ...]


def agreement(
    decisions: Sequence[Decision], *, mode: Mode = Mode.FILTER, seed: int = 1, resamples: int = RESAMPLES
) -> Report:
    """How far people agree in a mode, by the decisions that stand."""
    judged = [decision for decision in decisions if decision.mode is mode]
    people = sorted({decision.annotator for decision in judged})
    answered = _answered(judged, people, QUESTIONNAIRES[mode])
    found = [_agreement(name, table, seed, resamples) for name, table in answered]
    return Report(mode, found[0], tuple(found[1:]), tuple(_work(name, judged) for name in people))


def _answered(judged: Sequence[Decision], people: Sequence[str], questions: Questionnaire) -> list[tuple[str, Ratings]]:
    """The ratings of every question by its name, the whole first."""
    whole = ((each.pair, each.annotator, VALIDITY[not each.is_valid]) for each in judged)
    found = [(OVERALL, ratings(whole, people, VALIDITY))]
    for criterion in questions.criteria:
        given = ((each.pair, each.annotator, each.answers[criterion.name]) for each in judged)
        found.append((criterion.name, ratings(given, people, [answer.name for answer in criterion.answers])))
    return found


def _agreement(name: str, table: Ratings, seed: int, resamples: int) -> Agreement:
    shared = table.shared
    return Agreement(
        name,
        len(shared),
        percent=estimate(coefficients.percent(shared, table.values), seed=seed, resamples=resamples),
        alpha=estimate(coefficients.alpha(shared, table.values), seed=seed, resamples=resamples),
        between=tuple(
            _between(table, left, right, seed, resamples) for left, right in combinations(range(len(table.people)), 2)
        ),
    )


def _between(table: Ratings, left: int, right: int, seed: int, resamples: int) -> Between:
    codes = table.between(left, right)
    return Between(
        table.people[left],
        table.people[right],
        len(codes),
        percent=estimate(coefficients.percent(codes, table.values), seed=seed, resamples=resamples),
        kappa=estimate(coefficients.kappa(codes, table.values), seed=seed, resamples=resamples),
    )


def estimate(statistics: Statistics, *, seed: int, resamples: int = RESAMPLES) -> Estimate:
    """The value of statistics and its interval: by percentiles, of the draws in which it is defined."""
    if not len(statistics.rows):
        return Estimate(None)
    value = statistics.score()
    if np.isnan(value):
        return Estimate(None)
    scores = drawn(statistics, seed=seed, resamples=resamples)
    defined = scores[~np.isnan(scores)]
    if not len(defined):
        return Estimate(value)
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return Estimate(value, float(low), float(high))


def drawn(statistics: Statistics, *, seed: int, resamples: int) -> Numbers:
    """The score of each of so many draws of the pairs, with replacement; at least one pair is needed.

    There are few kinds of answers, however many pairs: how many of each kind are drawn is all that has to be drawn.
    """
    kinds, counts = np.unique(statistics.rows, axis=0, return_counts=True)
    chance = np.random.default_rng(generator(seed, "agreement").getrandbits(64))
    size = int(counts.sum())
    return statistics.pooled(chance.multinomial(size, counts / size, size=resamples) @ kinds)


def _work(annotator: str, judged: Sequence[Decision]) -> Work:
    own = [decision for decision in judged if decision.annotator == annotator]
    valid = sum(decision.is_valid for decision in own)
    return Work(annotator, len(own), valid, float(median(decision.seconds for decision in own)))
