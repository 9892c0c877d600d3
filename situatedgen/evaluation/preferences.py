"""Which of two systems people prefer: the matrix of all pairs of systems (CommonGen, version 1, section 5.3)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from statistics import correlation, fmean

from situatedgen import seeds

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
