"""Which of two systems people prefer: the matrix of all pairs of systems (CommonGen, version 1, section 5.3)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from html import escape
from itertools import combinations
from pathlib import Path
from statistics import correlation, fmean
from typing import TypeAlias

from situatedgen import seeds
from situatedgen.errors import PredictionError
from situatedgen.evaluation.keywords import groupings
from situatedgen.evaluation.predictions import Example, Predictions, examples_of, read_predictions
from situatedgen.evaluation.results import REFERENCE, Preferences
from situatedgen.formatting import Rows
from situatedgen.models.lemmas import Lemmatiser
from situatedgen.review.ballots import BETTER, EQUAL, Ballot, Item, Task, candidates
from situatedgen.review.decisions import plain

Covered = Callable[[str, str], frozenset[str]]
"""Of an item and a text, the concepts of the item that the text has."""


class Choice(StrEnum):
    """What a judge says of two sentences."""

    LEFT = "left"
    RIGHT = "right"
    EQUAL = "equal"


@dataclass(frozen=True, slots=True)
class Duel:
    """Two sentences of different systems for one item; whoever judges them does not see the systems."""

    item: str
    left: str
    right: str
    left_system: str
    right_system: str


@dataclass(frozen=True, slots=True)
class Preference:
    """What a judge chose in a duel."""

    duel: Duel
    judge: str
    choice: Choice


def duels(texts: Mapping[str, Mapping[str, str]], covered: Covered, *, seed: int = 0) -> list[Duel]:
    """The duels of all systems (`texts[system][item]`) on each item where both cover the same concepts.

    Who stands left is drawn, and so is the order, from the seed.
    """
    found = [
        _sided(item, texts, pair, seed)
        for pair in combinations(sorted(texts), 2)
        for item in sorted(texts[pair[0]].keys() & texts[pair[1]].keys())
        if covered(item, texts[pair[0]][item]) == covered(item, texts[pair[1]][item])
    ]
    return [found[place] for place in seeds.order(seed, "duels", len(found))]


def _sided(item: str, texts: Mapping[str, Mapping[str, str]], pair: tuple[str, str], seed: int) -> Duel:
    left, right = (pair[place] for place in seeds.order(seed, f"{item}\x1f{pair[0]}\x1f{pair[1]}", 2))
    return Duel(item, texts[left][item], texts[right][item], left, right)


@dataclass(frozen=True)
class Matrix:
    """How often, in per cent, the system of a row was preferred to that of a column; nothing where none was judged."""

    systems: tuple[str, ...]
    shares: Mapping[tuple[str, str], float]
    judged: Mapping[tuple[str, str], int]

    def row(self, system: str) -> list[float]:
        """The shares of a system against all others that it met."""
        return [self.shares[system, other] for other in self.systems if (system, other) in self.shares]

    def overall(self, coverage: Mapping[str, float]) -> dict[str, float]:
        """The mean share of each system, weighted by its PosCov (out of 100): the paper's last column."""
        return {name: fmean(self.row(name)) * coverage[name] / 100 for name in self.systems if self.row(name)}


def matrix(preferences: Iterable[Preference]) -> Matrix:
    """The matrix of what judges chose; what is equal counts half for each."""
    points: dict[tuple[str, str], list[float]] = {}
    for each in preferences:
        left, right = each.duel.left_system, each.duel.right_system
        won = {Choice.LEFT: 1.0, Choice.RIGHT: 0.0, Choice.EQUAL: 0.5}[each.choice]
        points.setdefault((left, right), []).append(won)
        points.setdefault((right, left), []).append(1 - won)
    return Matrix(
        systems=tuple(sorted({name for pair in points for name in pair})),
        shares={pair: 100 * fmean(won) for pair, won in points.items()},
        judged={pair: len(won) for pair, won in points.items()},
    )


def judge_correlation(preferences: Sequence[Preference]) -> float | None:
    """The mean Pearson correlation of judges' mean shares of the systems; nothing where two cannot be compared."""
    judges = sorted({each.judge for each in preferences})
    rows = {judge: matrix(each for each in preferences if each.judge == judge) for judge in judges}
    found = [_correlation(rows[one], rows[two]) for one, two in combinations(judges, 2)]
    known = [each for each in found if each is not None]
    return fmean(known) if known else None


def _correlation(one: Matrix, two: Matrix) -> float | None:
    shared = [name for name in one.systems if name in two.systems]
    left, right = ([fmean(each.row(name)) for name in shared] for each in (one, two))
    return correlation(left, right) if len(set(left)) > 1 and len(set(right)) > 1 else None


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


COVERAGE = "COVERAGE"
PICTURE = "preferences.svg"
NONE = "–"
LEFT, TOP, CELL_WIDTH, CELL_HEIGHT = 130, 34, 74, 34


def preferences(
    ballots: Sequence[Ballot],
    examples: Sequence[Example],
    systems: Sequence[Predictions],
    covers: Mapping[str, float],
    lemmatiser: Lemmatiser,
) -> Preferences | None:
    """What people preferred of systems' texts and the reference; none where nobody compared any of them.

    `covers` is the COVERAGE of each system where it was measured: the paper weights the mean share by it.
    """
    found = preferences_of(ballots, comparisons(examples, systems, lemmatiser).duels)
    if not found.comparisons:
        return None
    matrix, names = found.matrix, found.matrix.systems
    known = {**covers, REFERENCE: 100.0}
    return Preferences(
        systems=names,
        shares=tuple(tuple(matrix.shares.get((row, column)) for column in names) for row in names),
        judged=tuple(tuple(matrix.judged.get((row, column), 0) for column in names) for row in names),
        means={name: fmean(matrix.row(name)) for name in names},
        overall=matrix.overall(known) if set(names) <= known.keys() else {},
        judges=len(found.judges),
        comparisons=found.comparisons,
        correlation=found.correlation,
    )


def preference_rows(found: Preferences) -> Rows:
    """A row a system: how often it is preferred to each other, of how many; its mean, and that weighted by coverage."""
    rows = tuple(
        (
            name,
            *(_cell(share, count) for share, count in zip(shares, judged, strict=True)),
            f"{found.means[name]:.1f}",
            f"{found.overall[name]:.1f}" if name in found.overall else NONE,
        )
        for name, shares, judged in zip(found.systems, found.shares, found.judged, strict=True)
    )
    people = f"{found.judges:,} {'person' if found.judges == 1 else 'people'}"
    together = "" if found.correlation is None else f", whose scores correlate by {found.correlation:.3f}"
    title = f"How often, in per cent, the row is preferred to the column: {found.comparisons:,} comparisons by {people}"
    return Rows(f"{title}{together}", ("preferred", *found.systems, "mean", "× COVERAGE"), rows)


def picture(found: Preferences) -> str:
    """The matrix as a drawing: the darker a cell, the oftener its row is preferred to its column."""
    width, height = LEFT + CELL_WIDTH * len(found.systems), TOP + CELL_HEIGHT * len(found.systems)
    heads = [_text(LEFT + CELL_WIDTH * (n + 0.5), TOP - 12, name) for n, name in enumerate(found.systems)]
    sides = [_text(LEFT - 10, TOP + CELL_HEIGHT * (n + 0.6), name, "end") for n, name in enumerate(found.systems)]
    cells = [
        _drawn(row, column, share)
        for row, shares in enumerate(found.shares)
        for column, share in enumerate(shares)
        if share is not None
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        ' font-family="system-ui, sans-serif" font-size="13" role="img"'
        ' aria-label="How often the system of a row is preferred to that of a column">'
        f"{''.join([*heads, *sides, *cells])}</svg>"
    )


def _cell(share: float | None, count: int) -> str:
    return NONE if share is None else f"{share:.1f} [{count:,}]"


def _drawn(row: int, column: int, share: float) -> str:
    x, y = LEFT + CELL_WIDTH * column, TOP + CELL_HEIGHT * row
    box = f'<rect x="{x + 1}" y="{y + 1}" width="{CELL_WIDTH - 2}" height="{CELL_HEIGHT - 2}" rx="4"'
    shade = f'fill="#1d5fa8" fill-opacity="{share / 100:.3f}" stroke="#1d5fa8" stroke-opacity=".35"/>'
    ink = "#ffffff" if share > 55 else "#16191d"
    return f"{box} {shade}{_text(x + CELL_WIDTH / 2, y + CELL_HEIGHT * 0.62, f'{share:.1f}', ink=ink)}"


def _text(x: float, y: float, words: str, anchor: str = "middle", ink: str = "currentColor") -> str:
    shown = words if len(words) <= 16 else f"{words[:15]}…"
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{ink}">{escape(shown)}</text>'
