"""Agreement of annotators: percent, Cohen's kappa, Krippendorff's alpha, with intervals, and how they work."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median

import numpy as np
import numpy.typing as npt

from situatedgen.resampling import CONFIDENCE, RESAMPLES, Numbers, Statistics
from situatedgen.review.ballots import Task
from situatedgen.review.criteria import QUESTIONNAIRES, Questionnaire
from situatedgen.review.decisions import Decision
from situatedgen.seeds import generator
from situatedgen.vocabulary import Mode

MISSING = -1
Codes = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Ratings:
    """Answers by number, `MISSING` where a person did not decide; `values` is how many different ones there may be."""

    codes: Codes
    people: tuple[str, ...]
    values: int

    def between(self, left: int, right: int) -> Codes:
        """The answers of two people about the pairs that both decided."""
        two: Codes = self.codes[:, [left, right]]
        both: Codes = two[(two != MISSING).all(axis=1)]
        return both

    @property
    def shared(self) -> Codes:
        """The answers about the pairs that at least two people decided."""
        found: Codes = self.codes[(self.codes != MISSING).sum(axis=1) >= 2]
        return found


def ratings(answers: Iterable[tuple[str, str, str]], people: Sequence[str], values: Sequence[str]) -> Ratings:
    """The numbers of answers given as pair, person and answer; pairs in the order of their keys."""
    given = list(answers)
    rows = {pair: row for row, pair in enumerate(sorted({pair for pair, _, _ in given}))}
    columns: Mapping[str, int] = {person: column for column, person in enumerate(people)}
    codes = np.full((len(rows), len(people)), MISSING, dtype=np.int64)
    for pair, person, answer in given:
        codes[rows[pair], columns[person]] = values.index(answer)
    return Ratings(codes, tuple(people), len(values))


def percent(codes: Codes, values: int) -> Statistics:
    """The share of agreement: of all couples of answers to the same question about the same pair, those alike."""
    counts = _counts(codes, values)
    size = counts.sum(axis=1)
    alike = (counts * (counts - 1)).sum(axis=1)
    return Statistics(np.column_stack([alike, size * (size - 1)]), _share)


def kappa(codes: Codes, values: int) -> Statistics:
    """Cohen's kappa of two people, from the table of what one answered against the other."""
    cells = np.zeros((len(codes), values * values))
    cells[np.arange(len(codes)), codes[:, 0] * values + codes[:, 1]] = 1
    return Statistics(cells, _kappa)


def alpha(codes: Codes, values: int, *, is_ordinal: bool = False) -> Statistics:
    """Krippendorff's alpha for named answers, from as many people as there are; some may be missing.

    Each pair adds its couples of answers to the coincidence matrix, weighted so that a pair counts as often as it
    was judged; a pair that one person judged adds nothing. Where answers have an order, neighbours differ less.
    """
    counts = _counts(codes, values)
    size = counts.sum(axis=1)
    counts, size = counts[size >= 2], size[size >= 2]
    couples = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(values)
    rows = couples / (size - 1)[:, None, None]
    return Statistics(rows.reshape(len(rows), values * values), _ordinal_alpha if is_ordinal else _alpha)


def cluster_sums(statistics: Statistics, clusters: Codes) -> Statistics:
    """The same statistics with one row for all rows of a cluster, so that a cluster is drawn as a whole."""
    _, places = np.unique(clusters, return_inverse=True)
    rows = np.zeros((int(places.max(initial=-1)) + 1, statistics.rows.shape[1]))
    np.add.at(rows, places, statistics.rows)
    return Statistics(rows, statistics.pooled)


def _counts(codes: Codes, values: int) -> Numbers:
    """How many people gave each answer, pair by pair."""
    return np.stack([(codes == value).sum(axis=1) for value in range(values)], axis=1).astype(np.float64)


def _share(sums: Numbers) -> Numbers:
    return _quotient(sums[:, 0], sums[:, 1])


def _kappa(sums: Numbers) -> Numbers:
    table = _square(sums)
    total = table.sum(axis=(1, 2))
    seen = _quotient(_diagonal(table), total)
    by_chance = _quotient((table.sum(axis=2) * table.sum(axis=1)).sum(axis=1), total**2)
    return _beyond_chance(seen, by_chance)


def _alpha(sums: Numbers) -> Numbers:
    coincidences = _square(sums)
    margins = coincidences.sum(axis=2)
    total = margins.sum(axis=1)
    seen = _quotient(_diagonal(coincidences), total)
    by_chance = _quotient((margins * (margins - 1)).sum(axis=1), total * (total - 1))
    return _beyond_chance(seen, by_chance)


def _ordinal_alpha(sums: Numbers) -> Numbers:
    """Alpha where two answers differ by the square of how many answers lie between them."""
    coincidences = _square(sums)
    margins = coincidences.sum(axis=2)
    middles = np.cumsum(margins, axis=1) - margins / 2
    apart = (middles[:, :, None] - middles[:, None, :]) ** 2
    seen = (coincidences * apart).sum(axis=(1, 2))
    by_chance = (margins[:, :, None] * margins[:, None, :] * apart).sum(axis=(1, 2))
    share = _quotient(seen * (margins.sum(axis=1) - 1), np.where(by_chance > 1e-9, by_chance, 0))
    found: Numbers = 1 - share
    return found


def _square(sums: Numbers) -> Numbers:
    values = round(sums.shape[1] ** 0.5)
    return sums.reshape(len(sums), values, values)


def _diagonal(table: Numbers) -> Numbers:
    found: Numbers = np.trace(table, axis1=1, axis2=2)
    return found


def _beyond_chance(seen: Numbers, by_chance: Numbers) -> Numbers:
    # Sums of weighted counts differ from whole numbers in their last digits.
    rest = 1 - by_chance
    return _quotient(seen - by_chance, np.where(rest > 1e-9, rest, 0))


def _quotient(above: Numbers, below: Numbers) -> Numbers:
    found: Numbers = np.divide(above, below, out=np.full(len(above), np.nan), where=below > 0)
    return found


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
        percent=estimate(percent(shared, table.values), seed=seed, resamples=resamples),
        alpha=estimate(alpha(shared, table.values), seed=seed, resamples=resamples),
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
        percent=estimate(percent(codes, table.values), seed=seed, resamples=resamples),
        kappa=estimate(kappa(codes, table.values), seed=seed, resamples=resamples),
    )


def estimate(statistics: Statistics, *, seed: int, resamples: int = RESAMPLES) -> Estimate:
    """The value of statistics and its interval: by percentiles, of the draws in which it is defined."""
    if not len(statistics.rows):
        return Estimate(None)
    value = statistics.score()
    if np.isnan(value):
        return Estimate(None)
    scores = draw_agreement(statistics, seed=seed, resamples=resamples)
    defined = scores[~np.isnan(scores)]
    if not len(defined):
        return Estimate(value)
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return Estimate(value, float(low), float(high))


def draw_agreement(statistics: Statistics, *, seed: int, resamples: int) -> Numbers:
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
