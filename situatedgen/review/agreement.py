"""Inter-annotator agreement (percent, Cohen's kappa, Krippendorff's alpha) with intervals, and annotator statistics."""

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
    """Matrix of answer codes, pairs by annotators, `MISSING` where unanswered; `values` counts the possible answers."""

    codes: Codes
    people: tuple[str, ...]
    values: int

    def between(self, left: int, right: int) -> Codes:
        """The codes of two annotators on the pairs that both judged."""
        two: Codes = self.codes[:, [left, right]]
        both: Codes = two[(two != MISSING).all(axis=1)]
        return both

    @property
    def shared(self) -> Codes:
        """The codes of the pairs that at least two annotators judged."""
        found: Codes = self.codes[(self.codes != MISSING).sum(axis=1) >= 2]
        return found


def ratings(answers: Iterable[tuple[str, str, str]], people: Sequence[str], values: Sequence[str]) -> Ratings:
    """Build ratings from (pair, annotator, answer) triples; rows are sorted by pair key."""
    given = list(answers)
    rows = {pair: row for row, pair in enumerate(sorted({pair for pair, _, _ in given}))}
    columns: Mapping[str, int] = {person: column for column, person in enumerate(people)}
    codes = np.full((len(rows), len(people)), MISSING, dtype=np.int64)
    for pair, person, answer in given:
        codes[rows[pair], columns[person]] = values.index(answer)
    return Ratings(codes, tuple(people), len(values))


def percent(codes: Codes, values: int) -> Statistics:
    """Percent agreement: the share of answer couples on the same pair that are equal."""
    counts = _counts(codes, values)
    size = counts.sum(axis=1)
    alike = (counts * (counts - 1)).sum(axis=1)
    return Statistics(np.column_stack([alike, size * (size - 1)]), _share)


def kappa(codes: Codes, values: int) -> Statistics:
    """Cohen's kappa of two annotators, from their contingency table."""
    cells = np.zeros((len(codes), values * values))
    cells[np.arange(len(codes)), codes[:, 0] * values + codes[:, 1]] = 1
    return Statistics(cells, _kappa)


def alpha(codes: Codes, values: int, *, is_ordinal: bool = False) -> Statistics:
    """Krippendorff's alpha for any number of annotators, with missing answers allowed.

    Each pair adds its couples of answers to the coincidence matrix, divided by the number of its answers minus one, so
    that a pair weighs as much as it has answers; a pair with a single answer adds nothing. Answers are nominal, or
    ordinal with `is_ordinal`, which makes neighbours differ less.
    """
    counts = _counts(codes, values)
    size = counts.sum(axis=1)
    counts, size = counts[size >= 2], size[size >= 2]
    couples = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(values)
    rows = couples / (size - 1)[:, None, None]
    return Statistics(rows.reshape(len(rows), values * values), _ordinal_alpha if is_ordinal else _alpha)


def cluster_sums(statistics: Statistics, clusters: Codes) -> Statistics:
    """Sum the rows of each cluster into one, so that the bootstrap resamples whole clusters."""
    _, places = np.unique(clusters, return_inverse=True)
    rows = np.zeros((int(places.max(initial=-1)) + 1, statistics.rows.shape[1]))
    np.add.at(rows, places, statistics.rows)
    return Statistics(rows, statistics.pooled)


def _counts(codes: Codes, values: int) -> Numbers:
    """Count the annotators who gave each answer, per pair."""
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
    """Alpha with the ordinal distance: the squared number of answers ranked between two values."""
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
    # Treat 1 - by_chance as zero below 1e-9: sums of weighted counts carry rounding errors.
    rest = 1 - by_chance
    return _quotient(seen - by_chance, np.where(rest > 1e-9, rest, 0))


def _quotient(above: Numbers, below: Numbers) -> Numbers:
    found: Numbers = np.divide(above, below, out=np.full(len(above), np.nan), where=below > 0)
    return found


OVERALL = "valid"
"""Name of the overall question, present in every mode: would this annotator keep the pair?"""
VALIDITY = ("yes", "no")


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its 95 % bootstrap interval; None where undefined."""

    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Between:
    """Agreement of two annotators on the pairs that both judged."""

    left: str
    right: str
    pairs: int
    percent: Estimate
    kappa: Estimate


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement on one question: of all annotators together, and of every two.

    `pairs` counts those that at least two annotators judged. `criterion` is the question's name, or `OVERALL`.
    """

    criterion: str
    pairs: int
    percent: Estimate
    alpha: Estimate
    between: tuple[Between, ...]


@dataclass(frozen=True, slots=True)
class Work:
    """One annotator's output: active decisions, pairs judged valid, and median seconds per pair.

    For rankings, `valid` counts those that place the right text among the best two; None if the right text is unknown.
    """

    annotator: str
    decisions: int
    valid: int | None
    median_seconds: float


@dataclass(frozen=True, slots=True)
class Report:
    """Agreement in a mode or task, overall and per question, and each annotator's output."""

    mode: Mode | Task
    overall: Agreement
    criteria: tuple[Agreement, ...]
    people: tuple[Work, ...]


def agreement(
    decisions: Sequence[Decision], *, mode: Mode = Mode.FILTER, seed: int = 1, resamples: int = RESAMPLES
) -> Report:
    """Compute the agreement report of a mode from the active decisions."""
    judged = [decision for decision in decisions if decision.mode is mode]
    people = sorted({decision.annotator for decision in judged})
    answered = _ratings_by_question(judged, people, QUESTIONNAIRES[mode])
    found = [_agreement(name, table, seed, resamples) for name, table in answered]
    return Report(mode, found[0], tuple(found[1:]), tuple(_work(name, judged) for name in people))


def _ratings_by_question(
    judged: Sequence[Decision], people: Sequence[str], questions: Questionnaire
) -> list[tuple[str, Ratings]]:
    """Ratings by question name, the overall question first."""
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
    """Value and percentile bootstrap interval, ignoring resamples in which the statistic is undefined."""
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
    """Bootstrap the pairs with replacement and return the score of each resample; needs at least one pair.

    Pairs have few distinct rows, so drawing how often each occurs (multinomially) replaces drawing the pairs.
    """
    kinds, counts = np.unique(statistics.rows, axis=0, return_counts=True)
    chance = np.random.default_rng(generator(seed, "agreement").getrandbits(64))
    size = int(counts.sum())
    return statistics.pooled(chance.multinomial(size, counts / size, size=resamples) @ kinds)


def _work(annotator: str, judged: Sequence[Decision]) -> Work:
    own = [decision for decision in judged if decision.annotator == annotator]
    valid = sum(decision.is_valid for decision in own)
    return Work(annotator, len(own), valid, float(median(decision.seconds for decision in own)))
