"""Human preferences between systems, as a matrix over all pairs of systems (CommonGen, version 1, section 5.3)."""

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
"""Maps an item and a text to the concepts of the item that the text contains."""


class Choice(StrEnum):
    """A judge's verdict on two sentences."""

    LEFT = "left"
    RIGHT = "right"
    EQUAL = "equal"


@dataclass(frozen=True, slots=True)
class Duel:
    """Two systems' sentences for the same item; judges do not see which system wrote which."""

    item: str
    left: str
    right: str
    left_system: str
    right_system: str


@dataclass(frozen=True, slots=True)
class Preference:
    """A judge's choice in a duel."""

    duel: Duel
    judge: str
    choice: Choice


def duels(texts: Mapping[str, Mapping[str, str]], covered: Covered, *, seed: int = 0) -> list[Duel]:
    """Duels between all pairs of systems (`texts[system][item]`) on the items where both cover the same concepts.

    The sides and the order of the duels are random and depend on the seed.
    """
    found = [
        _place_duel(item, texts, pair, seed)
        for pair in combinations(sorted(texts), 2)
        for item in sorted(texts[pair[0]].keys() & texts[pair[1]].keys())
        if covered(item, texts[pair[0]][item]) == covered(item, texts[pair[1]][item])
    ]
    return [found[place] for place in seeds.order(seed, "duels", len(found))]


def _place_duel(item: str, texts: Mapping[str, Mapping[str, str]], pair: tuple[str, str], seed: int) -> Duel:
    left, right = (pair[place] for place in seeds.order(seed, f"{item}\x1f{pair[0]}\x1f{pair[1]}", 2))
    return Duel(item, texts[left][item], texts[right][item], left, right)


@dataclass(frozen=True)
class Matrix:
    """How often, in percent, the row system is preferred to the column system; missing if they were never compared."""

    systems: tuple[str, ...]
    shares: Mapping[tuple[str, str], float]
    judged: Mapping[tuple[str, str], int]

    def row(self, system: str) -> list[float]:
        """The shares of a system against all systems it was compared with."""
        return [self.shares[system, other] for other in self.systems if (system, other) in self.shares]

    def overall(self, coverage: Mapping[str, float]) -> dict[str, float]:
        """Mean share of each system times its PosCov (out of 100), as in the last column of the paper's table."""
        return {name: fmean(self.row(name)) * coverage[name] / 100 for name in self.systems if self.row(name)}


def matrix(preferences: Iterable[Preference]) -> Matrix:
    """Compute the preference matrix; a tie counts half for each system."""
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
    """Mean Pearson correlation between judges' mean shares of the systems; None if no two judges can be compared."""
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
"""Maps the key of a comparison to the duels it decides; several if two systems wrote the same text."""


@dataclass(frozen=True)
class Comparisons:
    """Items to compare and the duels they decide.

    `uneven` counts the pairs of texts left out because they cover different keywords, `equal` those left out because
    they are identical.
    """

    items: tuple[Item, ...]
    duels: Duels
    uneven: int
    equal: int


@dataclass(frozen=True)
class Preferred:
    """The judges' preferences: the matrix of all systems, the judges, and the correlation between them."""

    matrix: Matrix
    judges: tuple[str, ...]
    comparisons: int
    correlation: float | None


def read_systems(
    dataset: Path, split: str, predictions: Sequence[Path]
) -> tuple[tuple[Example, ...], list[Predictions]]:
    """Read the examples of a split and the predictions of each system, which may cover only some examples.

    Raises:
        PredictionError: a predictions file cannot be read; the message names the file and the line.
        SettingsError: the folder is not a situatedgen dataset.
    """
    examples = examples_of(dataset, split)
    return examples, [read_predictions(path, examples, partial=True) for path in predictions]


def comparisons(
    examples: Sequence[Example], systems: Sequence[Predictions], lemmatiser: Lemmatiser, *, split: str = ""
) -> Comparisons:
    """Comparisons for annotators: texts of all systems and the reference that cover the same keywords.

    Identical texts need no judge and are left out.

    Raises:
        PredictionError: two systems have the same name.
    """
    names = [*(system.system for system in systems), REFERENCE]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise PredictionError(f"two systems are named {twice!r}; systems are named after their files, so rename one")
    known = {example.example_id: example for example in examples}
    texts = {system.system: _texts(system) for system in [*systems, _reference(examples)]}
    held = _covered_keywords(known, texts, lemmatiser)
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
    """Derive preferences between systems from ballots, ignoring ballots on other texts."""
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


def _covered_keywords(
    known: Mapping[str, Example], texts: Mapping[str, Mapping[str, str]], lemmatiser: Lemmatiser
) -> dict[tuple[str, str], frozenset[str]]:
    """Map each item and text to the keywords that the text contains."""
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
    """Human preferences between the systems and the reference; None if none of their texts were compared.

    `covers` is the COVERAGE of each system, where measured; the paper weights the mean share by it.
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
    """One row per system: share and number of comparisons against each other, mean, and coverage-weighted mean."""
    rows = tuple(
        (
            name,
            *(_format_cell(share, count) for share, count in zip(shares, judged, strict=True)),
            f"{found.means[name]:.1f}",
            f"{found.overall[name]:.1f}" if name in found.overall else NONE,
        )
        for name, shares, judged in zip(found.systems, found.shares, found.judged, strict=True)
    )
    people = f"{found.judges:,} {'person' if found.judges == 1 else 'people'}"
    together = "" if found.correlation is None else f" (correlation of their scores: {found.correlation:.3f})"
    title = f"How often (%) the row is preferred to the column: {found.comparisons:,} comparisons by {people}"
    return Rows(f"{title}{together}", ("preferred", *found.systems, "mean", "× COVERAGE"), rows)


def picture(found: Preferences) -> str:
    """Draw the matrix as SVG; the darker a cell, the more often its row is preferred to its column."""
    width, height = LEFT + CELL_WIDTH * len(found.systems), TOP + CELL_HEIGHT * len(found.systems)
    heads = [_draw_text(LEFT + CELL_WIDTH * (n + 0.5), TOP - 12, name) for n, name in enumerate(found.systems)]
    sides = [_draw_text(LEFT - 10, TOP + CELL_HEIGHT * (n + 0.6), name, "end") for n, name in enumerate(found.systems)]
    cells = [
        _draw_cell(row, column, share)
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


def _format_cell(share: float | None, count: int) -> str:
    return NONE if share is None else f"{share:.1f} [{count:,}]"


def _draw_cell(row: int, column: int, share: float) -> str:
    x, y = LEFT + CELL_WIDTH * column, TOP + CELL_HEIGHT * row
    box = f'<rect x="{x + 1}" y="{y + 1}" width="{CELL_WIDTH - 2}" height="{CELL_HEIGHT - 2}" rx="4"'
    shade = f'fill="#1d5fa8" fill-opacity="{share / 100:.3f}" stroke="#1d5fa8" stroke-opacity=".35"/>'
    ink = "#ffffff" if share > 55 else "#16191d"
    return f"{box} {shade}{_draw_text(x + CELL_WIDTH / 2, y + CELL_HEIGHT * 0.62, f'{share:.1f}', ink=ink)}"


def _draw_text(x: float, y: float, words: str, anchor: str = "middle", ink: str = "currentColor") -> str:
    shown = words if len(words) <= 16 else f"{words[:15]}…"
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{ink}">{escape(shown)}</text>'
