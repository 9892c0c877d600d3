"""Two systems' texts for the same keywords, for people who are not told whose they are (CommonGen, section 5.3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TypeAlias

from situatedgen.errors import PredictionError
from situatedgen.evaluation.cases import REFERENCE
from situatedgen.evaluation.examples import Example, examples_of
from situatedgen.evaluation.grouping import groupings
from situatedgen.evaluation.lemmas import Lemmatiser
from situatedgen.evaluation.preferences import Choice, Duel, Matrix, Preference, duels, judge_correlation, matrix
from situatedgen.evaluation.reading import Predictions, read_predictions
from situatedgen.review.ballots.ballots import Ballot, candidates
from situatedgen.review.ballots.items import Item
from situatedgen.review.ballots.tasks import BETTER, EQUAL, Task
from situatedgen.review.decisions import plain

Duels: TypeAlias = Mapping[str, Sequence[Duel]]
"""By the key of a comparison, the duels that it decides: several, where two systems wrote the same."""


@dataclass(frozen=True)
class Comparisons:
    """What there is to compare, the duels that it decides, and how many were left out because of what they cover."""

    items: tuple[Item, ...]
    duels: Duels
    uneven: int
    equal: int


@dataclass(frozen=True)
class Preferred:
    """What judges chose: the matrix of all systems, who judged, and how far their scores go together."""

    matrix: Matrix
    judges: tuple[str, ...]
    comparisons: int
    correlation: float | None


def read_systems(
    dataset: Path, split: str, predictions: Sequence[Path]
) -> tuple[tuple[Example, ...], list[Predictions]]:
    """The examples of a split, and what systems wrote for them; a file may answer some of them only.

    Raises:
        PredictionError: a file of predictions cannot be read; names the file and the line.
        SettingsError: the folder is no dataset of ours.
    """
    examples = examples_of(dataset, split)
    return examples, [read_predictions(path, examples, partial=True) for path in predictions]


def comparisons(
    examples: Sequence[Example], systems: Sequence[Predictions], lemmatiser: Lemmatiser, *, split: str = ""
) -> Comparisons:
    """What people can compare: texts that cover the same keywords, of all systems and the reference.

    Two texts that say the same word for word need no judge.

    Raises:
        PredictionError: two systems have one name.
    """
    names = [*(system.system for system in systems), REFERENCE]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise PredictionError(f"two systems are called {twice!r}; a system has the name of its file, so rename one")
    known = {example.example_id: example for example in examples}
    texts = {system.system: _texts(system) for system in [*systems, _reference(examples)]}
    held = _held(known, texts, lemmatiser)
    found = duels(texts, lambda item, text: held[item, text])
    met = sum(len(texts[one].keys() & texts[two].keys()) for one, two in combinations(texts, 2))
    differing = [duel for duel in found if plain(duel.left) != plain(duel.right)]
    items: dict[str, Item] = {}
    decided: dict[str, list[Duel]] = {}
    for duel in differing:
        item = _item(known[duel.item], duel, split)
        items.setdefault(item.key, item)
        decided.setdefault(item.key, []).append(duel)
    return Comparisons(tuple(items.values()), decided, met - len(found), len(found) - len(differing))


def preferences_of(ballots: Sequence[Ballot], decided: Duels) -> Preferred:
    """What ballots say of systems; one that says nothing of these systems' texts is passed over."""
    found = [
        Preference(duel, ballot.annotator, _choice(ballot, duel))
        for ballot in ballots
        if ballot.task is Task.PREFER
        for duel in decided.get(ballot.pair, ())
    ]
    judges = tuple(sorted({each.judge for each in found}))
    return Preferred(matrix(found), judges, len(found), judge_correlation(found))


def _choice(ballot: Ballot, duel: Duel) -> Choice:
    said = ballot.answers[BETTER]
    if said == EQUAL:
        return Choice.EQUAL
    chosen = ballot.content.texts[int(said) - 1]
    return Choice.LEFT if plain(chosen) == plain(duel.left) else Choice.RIGHT


def _item(example: Example, duel: Duel, split: str) -> Item:
    content = candidates("", example.keywords, (duel.left, duel.right))
    return Item(f"{duel.item} {' '.join(sorted((duel.left_system, duel.right_system)))}", split, content)


def _texts(system: Predictions) -> dict[str, str]:
    return {example.example_id: text for example, text in zip(system.examples, system.texts, strict=True)}


def _reference(examples: Sequence[Example]) -> Predictions:
    return Predictions(REFERENCE, tuple(examples), tuple(example.reference for example in examples))


def _held(
    known: Mapping[str, Example], texts: Mapping[str, Mapping[str, str]], lemmatiser: Lemmatiser
) -> dict[tuple[str, str], frozenset[str]]:
    """The keywords that each text has, by item and text."""
    rows = list(dict.fromkeys((item, text) for answers in texts.values() for item, text in answers.items()))
    found = groupings([known[item] for item, _ in rows], [text for _, text in rows], lemmatiser)
    return {
        (item, text): frozenset(str(place) for place, is_there in enumerate(each.found) if is_there)
        for (item, text), each in zip(rows, found, strict=True)
    }
