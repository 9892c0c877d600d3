"""How far people agree in ballots: where they put each text, and how likely they find it."""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from statistics import median

import numpy as np

from situatedgen.evaluation.intervals import RESAMPLES
from situatedgen.evaluation.statistics import Statistics
from situatedgen.review import coefficients
from situatedgen.review.agreement import Agreement, Between, Estimate, Report, Work, estimate
from situatedgen.review.ballots.ballots import Ballot
from situatedgen.review.ballots.gold import is_preferred
from situatedgen.review.ballots.rankings import ranking
from situatedgen.review.ballots.tasks import BETTER, EQUAL, Likelihood, Place, Task
from situatedgen.review.ratings import MISSING, Codes, Ratings, ratings

Said = Callable[[Ballot], list[str]]
"""What a ballot says, text by text."""
Estimated = Callable[[Statistics], Estimate]
CHOICES = ("1", EQUAL, "2")
"""Which of two is better, in an order in which neighbours are nearer."""


def _places(ballot: Ballot) -> list[str]:
    return [ranking(ballot.answers).place(text).value for text in range(len(ballot.content.texts))]


def _likelihoods(ballot: Ballot) -> list[str]:
    return [found.value for found in ranking(ballot.answers).likelihoods]


def _better(ballot: Ballot) -> list[str]:
    return [ballot.answers[BETTER]]


QUESTIONS: Mapping[Task, Mapping[str, tuple[Said, Sequence[str]]]] = {
    Task.RANK: {"place": (_places, tuple(Place)), "likelihood": (_likelihoods, tuple(Likelihood))},
    Task.PREFER: {BETTER: (_better, CHOICES)},
}
"""For each question of a task what ballots say to it, and its answers in their order."""


def ballot_agreement(
    ballots: Sequence[Ballot],
    task: Task,
    *,
    right: Mapping[str, int] | None = None,
    seed: int = 1,
    resamples: int = RESAMPLES,
) -> Report:
    """How far people agree in a task, by the ballots that stand; `right` is the right text of each item, if known.

    Texts are what is compared, items what is drawn for the intervals. Alpha minds the order of the answers.
    """
    given = [ballot for ballot in ballots if ballot.task is task]
    people = sorted({ballot.annotator for ballot in given})

    def estimated(statistics: Statistics) -> Estimate:
        return estimate(statistics, seed=seed, resamples=resamples)

    found = [
        _agreement(name, _ratings(given, people, said, values), estimated)
        for name, (said, values) in QUESTIONS[task].items()
    ]
    works = tuple(_work(name, given, right) for name in people)
    return Report(task, found[0], tuple(found[1:]), works)


def _ratings(
    ballots: Sequence[Ballot], people: Sequence[str], said: Said, values: Sequence[str]
) -> tuple[Ratings, Codes]:
    """What people said of each text, and the number of the item that it belongs to."""
    numbers = {key: number for number, key in enumerate(sorted({ballot.pair for ballot in ballots}))}
    given = [
        (f"{numbers[ballot.pair]:09d} {text:02d}", ballot.annotator, answer)
        for ballot in ballots
        for text, answer in enumerate(said(ballot))
    ]
    items = [int(unit.split()[0]) for unit in sorted({unit for unit, _, _ in given})]
    return ratings(given, people, values), np.array(items, dtype=np.int64)


def _agreement(name: str, rated: tuple[Ratings, Codes], estimated: Estimated) -> Agreement:
    table, items = rated
    kept = (table.codes != MISSING).sum(axis=1) >= 2
    codes, clusters = table.codes[kept], items[kept]
    alpha = coefficients.alpha(codes, table.values, is_ordinal=True)
    return Agreement(
        name,
        len(set(clusters.tolist())),
        percent=estimated(coefficients.clustered(coefficients.percent(codes, table.values), clusters)),
        alpha=estimated(coefficients.clustered(alpha, clusters)),
        between=tuple(_between(rated, *two, estimated) for two in combinations(range(len(table.people)), 2)),
    )


def _between(rated: tuple[Ratings, Codes], left: int, right: int, estimated: Estimated) -> Between:
    table, items = rated
    both = (table.codes[:, [left, right]] != MISSING).all(axis=1)
    codes, clusters = table.between(left, right), items[both]
    return Between(
        table.people[left],
        table.people[right],
        len(set(clusters.tolist())),
        percent=estimated(coefficients.clustered(coefficients.percent(codes, table.values), clusters)),
        kappa=estimated(coefficients.clustered(coefficients.kappa(codes, table.values), clusters)),
    )


def _work(annotator: str, ballots: Sequence[Ballot], right: Mapping[str, int] | None) -> Work:
    own = [ballot for ballot in ballots if ballot.annotator == annotator]
    known = [(ballot, right[ballot.pair]) for ballot in own if right and ballot.pair in right]
    preferred = sum(is_preferred(ranking(ballot.answers), found) for ballot, found in known)
    seconds = float(median(ballot.seconds for ballot in own))
    return Work(annotator, len(own), preferred if known else None, seconds)
