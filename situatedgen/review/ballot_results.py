"""Results of ballots: agreement, and verified multiple-choice questions."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from statistics import median

import numpy as np

from situatedgen.resampling import RESAMPLES, Statistics
from situatedgen.review import agreement
from situatedgen.review.agreement import (
    MISSING,
    Agreement,
    Between,
    Codes,
    Estimate,
    Ratings,
    Report,
    Work,
    estimate,
    ratings,
)
from situatedgen.review.ballots import BETTER, EQUAL, Ballot, Item, Likelihood, Place, Ranking, Task, ranking
from situatedgen.seeds import order
from situatedgen.vocabulary import Split


class Fate(StrEnum):
    """The outcome for an item: kept, or the first reason for dropping it."""

    KEPT = "kept"
    UNJUDGED = "unjudged"
    FOUND_GIBBERISH = "found_gibberish"
    TOO_FEW_SENSIBLE = "too_few_sensible"
    FOUND_NOT_PREFERRED = "found_not_preferred"
    UNDECIDED = "undecided"
    TOO_FEW_WRONG = "too_few_wrong"


@dataclass(frozen=True, slots=True)
class GoldRules:
    """The paper's thresholds: minimum number of sensible endings, and wrong answers per question.

    In the paper a likely ending may be a wrong answer; `only_unlikely` forbids that.
    """

    min_sensible: int = 3
    wrong: int = 3
    only_unlikely: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """A question: the index of its right ending and those of the possible wrong ones."""

    gold: int
    wrong: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The fate of an item and its questions: none, one, or in training up to two."""

    fate: Fate
    questions: tuple[Question, ...] = ()


def outcome(rankings: Sequence[Ranking], found: int, *, is_training: bool, rules: GoldRules | None = None) -> Outcome:
    """Decide the fate of an item from the rankings of its endings.

    A single annotator decides alone, as in the paper. With several, more than half must place the found ending among
    the best two; an ending is gibberish if at least half say so; and an ending that anyone called best is no wrong
    answer.
    """
    rules = rules or GoldRules()
    if not rankings:
        return Outcome(Fate.UNJUDGED)
    left_out = _endings_rated(rankings, Likelihood.LIKELY) if rules.only_unlikely else frozenset()
    generated = _sensible_endings(rankings) - left_out - {found}
    wrong = tuple(sorted(generated - {each.best for each in rankings}))
    fate = _fate(rankings, found, wrong, rules)
    if fate is not Fate.KEPT:
        return Outcome(fate)
    further = _second_question(rankings, found, generated, rules) if is_training else ()
    return Outcome(fate, (Question(found, wrong), *further))


def _fate(rankings: Sequence[Ranking], found: int, wrong: Sequence[int], rules: GoldRules) -> Fate:
    sensible = _sensible_endings(rankings)
    if found not in sensible:
        return Fate.FOUND_GIBBERISH
    if len(sensible) < rules.min_sensible:
        return Fate.TOO_FEW_SENSIBLE
    balance = 2 * sum(is_preferred(each, found) for each in rankings) - len(rankings)
    if balance <= 0:
        return Fate.UNDECIDED if balance == 0 else Fate.FOUND_NOT_PREFERRED
    return Fate.TOO_FEW_WRONG if len(wrong) < rules.wrong else Fate.KEPT


def is_preferred(ranking: Ranking, found: int) -> bool:
    """Whether the annotator places an ending among the best two."""
    return ranking.place(found) is not Place.NEITHER


def _sensible_endings(rankings: Sequence[Ranking]) -> frozenset[int]:
    """Endings that fewer than half of the annotators call gibberish."""
    return frozenset(range(len(rankings[0].likelihoods))) - _endings_rated(rankings, Likelihood.GIBBERISH)


def _endings_rated(rankings: Sequence[Ranking], likelihood: Likelihood) -> frozenset[int]:
    """Endings that at least half of the annotators give this likelihood."""
    counts = Counter(ending for each in rankings for ending in each.texts_rated(likelihood))
    return frozenset(ending for ending, count in counts.items() if 2 * count >= len(rankings))


def _second_question(
    rankings: Sequence[Ranking], found: int, generated: frozenset[int], rules: GoldRules
) -> tuple[Question, ...]:
    """A second question, whose gold is the generated ending that a majority ranked best with the found one second."""
    counts = Counter(each.best for each in rankings if each.second == found)
    for best, count in counts.most_common(1):
        wrong = tuple(sorted(generated - {best}))
        if 2 * count > len(rankings) and best in _sensible_endings(rankings) and len(wrong) >= rules.wrong:
            return (Question(best, wrong),)
    return ()


GetAnswers = Callable[[Ballot], list[str]]
"""Extracts one answer per text from a ballot."""
Estimator = Callable[[Statistics], Estimate]
CHOICES = ("1", EQUAL, "2")
"""Answers to which text is better, ordered so that the tie lies between the two."""


def _places(ballot: Ballot) -> list[str]:
    return [ranking(ballot.answers).place(text).value for text in range(len(ballot.content.texts))]


def _likelihoods(ballot: Ballot) -> list[str]:
    return [found.value for found in ranking(ballot.answers).likelihoods]


def _better_text(ballot: Ballot) -> list[str]:
    return [ballot.answers[BETTER]]


QUESTIONS: Mapping[Task, Mapping[str, tuple[GetAnswers, Sequence[str]]]] = {
    Task.RANK: {"place": (_places, tuple(Place)), "likelihood": (_likelihoods, tuple(Likelihood))},
    Task.PREFER: {BETTER: (_better_text, CHOICES)},
}
"""For each task and question: how to extract the answers from a ballot, and the answers in order."""


def ballot_agreement(
    ballots: Sequence[Ballot],
    task: Task,
    *,
    right: Mapping[str, int] | None = None,
    seed: int = 1,
    resamples: int = RESAMPLES,
) -> Report:
    """Compute the agreement report of a task from the active ballots; `right` maps items to their right text, if known.

    Answers are compared text by text, and the bootstrap resamples items. Alpha is ordinal.
    """
    given = [ballot for ballot in ballots if ballot.task is task]
    people = sorted({ballot.annotator for ballot in given})

    def estimator(statistics: Statistics) -> Estimate:
        return estimate(statistics, seed=seed, resamples=resamples)

    found = [
        _agreement(name, _ratings(given, people, said, values), estimator)
        for name, (said, values) in QUESTIONS[task].items()
    ]
    works = tuple(_work(name, given, right) for name in people)
    return Report(task, found[0], tuple(found[1:]), works)


def _ratings(
    ballots: Sequence[Ballot], people: Sequence[str], said: GetAnswers, values: Sequence[str]
) -> tuple[Ratings, Codes]:
    """Ratings per text, and the item number of each text."""
    numbers = {key: number for number, key in enumerate(sorted({ballot.pair for ballot in ballots}))}
    given = [
        (f"{numbers[ballot.pair]:09d} {text:02d}", ballot.annotator, answer)
        for ballot in ballots
        for text, answer in enumerate(said(ballot))
    ]
    items = [int(unit.split()[0]) for unit in sorted({unit for unit, _, _ in given})]
    return ratings(given, people, values), np.array(items, dtype=np.int64)


def _agreement(name: str, rated: tuple[Ratings, Codes], estimator: Estimator) -> Agreement:
    table, items = rated
    kept = (table.codes != MISSING).sum(axis=1) >= 2
    codes, clusters = table.codes[kept], items[kept]
    alpha = agreement.alpha(codes, table.values, is_ordinal=True)
    return Agreement(
        name,
        len(set(clusters.tolist())),
        percent=estimator(agreement.cluster_sums(agreement.percent(codes, table.values), clusters)),
        alpha=estimator(agreement.cluster_sums(alpha, clusters)),
        between=tuple(_between(rated, *two, estimator) for two in combinations(range(len(table.people)), 2)),
    )


def _between(rated: tuple[Ratings, Codes], left: int, right: int, estimator: Estimator) -> Between:
    table, items = rated
    both = (table.codes[:, [left, right]] != MISSING).all(axis=1)
    codes, clusters = table.between(left, right), items[both]
    return Between(
        table.people[left],
        table.people[right],
        len(set(clusters.tolist())),
        percent=estimator(agreement.cluster_sums(agreement.percent(codes, table.values), clusters)),
        kappa=estimator(agreement.cluster_sums(agreement.kappa(codes, table.values), clusters)),
    )


def _work(annotator: str, ballots: Sequence[Ballot], right: Mapping[str, int] | None) -> Work:
    own = [ballot for ballot in ballots if ballot.annotator == annotator]
    known = [(ballot, right[ballot.pair]) for ballot in own if right and ballot.pair in right]
    preferred = sum(is_preferred(ranking(ballot.answers), found) for ballot, found in known)
    seconds = float(median(ballot.seconds for ballot in own))
    return Work(annotator, len(own), preferred if known else None, seconds)


GENERATED = "generated"
FOUND = "found"


@dataclass(frozen=True, slots=True)
class Verified:
    """An item, its outcome, and the number of annotators."""

    item: Item
    outcome: Outcome
    people: int


@dataclass(frozen=True, slots=True)
class Row:
    """A verified question: texts in published order, and the index of the right one.

    `gold` says whether the right text is the one found in the data or a generated one that annotators preferred.
    """

    item_id: str
    gold: str
    texts: tuple[str, ...]
    label: int


def verify_items(items: Sequence[Item], ballots: Iterable[Ballot], rules: GoldRules) -> list[Verified]:
    """Decide the outcome of every item whose right text is known; the others are left out."""
    given: dict[str, list[Ranking]] = {}
    for ballot in ballots:
        if ballot.task is Task.RANK:
            given.setdefault(ballot.pair, []).append(ranking(ballot.answers))
    return [
        Verified(item, _outcome(given.get(item.key, []), item.right, item.split, rules), len(given.get(item.key, [])))
        for item in items
        if item.right is not None
    ]


def _outcome(rankings: Sequence[Ranking], right: int, split: str, rules: GoldRules) -> Outcome:
    return outcome(rankings, right, is_training=split == Split.TRAIN, rules=rules)


def rows(found: Verified, rules: GoldRules, *, seed: int) -> list[Row]:
    """The questions of an item, each with `rules.wrong` wrong texts drawn by its id."""
    made = []
    for question in found.outcome.questions:
        is_found = question.gold == found.item.right
        name = found.item.item_id if is_found else f"{found.item.item_id} {GENERATED}"
        drawn = [question.wrong[place] for place in order(seed, f"wrong\x1f{name}", len(question.wrong))]
        chosen = [question.gold, *drawn[: rules.wrong]]
        places = order(seed, f"answers\x1f{name}", len(chosen))
        texts = tuple(found.item.content.texts[chosen[place]] for place in places)
        made.append(Row(name, FOUND if is_found else GENERATED, texts, places.index(0)))
    return made


def fates(found: Iterable[Verified]) -> dict[str, dict[str, int]]:
    """Count the items of each fate, by split."""
    counts = Counter((each.item.split, each.outcome.fate) for each in found)
    splits = [split.value for split in Split if any(counts[split.value, fate] for fate in Fate)]
    return {split: {fate.value: counts[split, fate] for fate in Fate if counts[split, fate]} for split in splits}


def distribution(items: Sequence[Item], ballots: Iterable[Ballot]) -> dict[str, dict[str, float]]:
    """Share of each place and likelihood among right texts (`found`) and wrong ones (`generated`)."""
    right: Mapping[str, int | None] = {item.key: item.right for item in items}
    values: dict[str, Counter[str]] = {FOUND: Counter(), GENERATED: Counter()}
    for ballot in ballots:
        if ballot.task is Task.RANK and right.get(ballot.pair) is not None:
            given = ranking(ballot.answers)
            for text, likelihood in enumerate(given.likelihoods):
                values[FOUND if text == right[ballot.pair] else GENERATED].update([given.place(text), likelihood])
    return {
        kind: {name.value: counts[name] * 2 / counts.total() for name in (*Place, *Likelihood)}
        for kind, counts in values.items()
        if counts
    }
