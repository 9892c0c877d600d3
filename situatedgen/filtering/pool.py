"""Items to filter, the wrong candidates each is given, and what a model must do to judge them."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from situatedgen.errors import SchemaError
from situatedgen.schemas import TEXT, Schema, check
from situatedgen.seeds import generator, order

Rows: TypeAlias = NDArray[np.int64]
"""Numbers of candidates in a pool: of one item, of all, or a row of them for each of several items."""

POOLS = Schema(
    {"item_id": TEXT, "group": TEXT, "candidate": pl.UInt32(), "first": TEXT, "second": TEXT},
    key=("item_id", "candidate"),
)
"""Candidate 0 of an item is the right one. Items of one group never stand on both sides of a split."""


@dataclass(frozen=True)
class Pool:
    """Candidates of items, one item after the other, the right one of each before its wrong ones.

    A candidate is two texts, `first` and `second`: a context and what follows it, or two sentences.
    """

    item_ids: tuple[str, ...]
    groups: tuple[str, ...]
    starts: Rows
    first: tuple[str, ...]
    second: tuple[str, ...]

    def __len__(self) -> int:
        """How many items there are."""
        return len(self.item_ids)

    @property
    def truths(self) -> Rows:
        """The right candidate of each item."""
        return self.starts[:-1]

    @cached_property
    def sizes(self) -> Rows:
        """How many wrong candidates each item has."""
        return np.diff(self.starts) - 1

    def of(self, item: int) -> Rows:
        """The candidates of an item, the right one first."""
        return np.arange(self.starts[item], self.starts[item + 1])

    @cached_property
    def digest(self) -> str:
        """A digest of all that the pool holds."""
        told = "\x1f".join((*self.item_ids, *self.groups, *map(str, self.starts), *self.first, *self.second))
        return hashlib.sha256(told.encode("utf-8")).hexdigest()


def pool_of(pools: pl.DataFrame, *, wrong: int, population: int, distinct: bool = True) -> Pool:
    """The items of a table that have enough wrong candidates, each with its first ones up to the population.

    Candidates of an item are distinct, unless said otherwise: who sees less of them may see the same twice.

    Raises:
        SchemaError: the table is no table of candidates, or an item has no right one, or a wrong one twice.
    """
    check(pools, POOLS, name="pools")
    _check_items(pools, distinct=distinct)
    large = pools.filter(pl.len().over("item_id") > wrong, pl.col("candidate") <= population)
    items = large.group_by("item_id", maintain_order=True).agg(pl.col("group").first(), pl.len())
    return Pool(
        item_ids=tuple(items["item_id"]),
        groups=tuple(items["group"]),
        starts=np.concatenate([[0], np.cumsum(items["len"].to_numpy(), dtype=np.int64)]).astype(np.int64),
        first=tuple(large["first"]),
        second=tuple(large["second"]),
    )


def _check_items(pools: pl.DataFrame, *, distinct: bool) -> None:
    faults = {
        "has no right candidate (number 0)": pl.col("candidate").min() != 0,
        "has a gap in the numbers of its candidates": pl.col("candidate").max() + 1 != pl.len(),
        "has the same candidate twice": pl.lit(distinct) & (pl.struct("first", "second").n_unique() != pl.len()),
        "stands in two groups": pl.col("group").n_unique() != 1,
    }
    for fault, is_so in faults.items():
        found = pools.group_by("item_id", maintain_order=True).agg(is_so.alias("is_so")).filter("is_so")
        if found.height:
            raise SchemaError(f"pools: item {found['item_id'][0]!r} {fault}")


def texts(pool: Pool, rows: Sequence[int]) -> list[str]:
    """Candidates as one text each."""
    return [f"{pool.first[row]} {pool.second[row]}" for row in rows]


Scores: TypeAlias = Mapping[str, NDArray[np.float32]]
"""What each member of a committee says of candidates: the higher, the more it believes one is right."""


class Judge(Protocol):
    """A discriminator that has learned."""

    def scores(self, rows: Rows) -> Scores:
        """The scores of candidates, by member; they do not depend on what else is asked."""


class Discriminator(Protocol):
    """One model, or a committee of which one member decides; it learns anew in every iteration."""

    @property
    def decides(self) -> str:
        """The member whose scores choose what is replaced, and whose accuracy is to fall."""

    @property
    def identity(self) -> str:
        """All that its answers depend on beside the pool: what it is, and its settings."""

    def fit(self, pool: Pool, questions: Rows, *, seed: int) -> Judge:
        """A judge that learned from questions: a row an item, the right candidate first."""


@dataclass(frozen=True)
class State:
    """Where a filtering stands: the wrong candidates of each item, and what models thought of every candidate.

    An opinion is by how much a candidate was preferred to the right one; no number where nobody was asked.
    """

    assignment: Rows
    opinions: NDArray[np.float32]


def first_assignment(pool: Pool, *, wrong: int, seed: int) -> Rows:
    """So many wrong candidates of each item, drawn by its id: a row an item, in ascending order."""
    drawn = [
        sorted(order(seed, f"assignment\x1f{item_id}", int(size))[:wrong])
        for item_id, size in zip(pool.item_ids, pool.sizes, strict=True)
    ]
    return np.asarray(drawn, dtype=np.int64).reshape(len(pool), wrong) + pool.truths[:, None] + 1


def questions(pool: Pool, assignment: Rows) -> Rows:
    """A row an item: its right candidate, and the wrong ones that it is given."""
    return np.concatenate([pool.truths[:, None], assignment], axis=1)


def parts(groups: Sequence[str], *, train_share: float, seed: int, purpose: str) -> tuple[Rows, Rows]:
    """The items to learn from and the items held out, given their groups; whole groups go to either side at random."""
    of_items = np.asarray(groups)
    names, sizes = np.unique(of_items, return_counts=True)
    shuffled = generator(seed, "parts", purpose).sample(range(len(names)), len(names))
    before = np.concatenate([[0], np.cumsum(sizes[shuffled])[:-1]])
    held = names[shuffled][before < round((1 - train_share) * len(of_items))]
    is_held = np.isin(of_items, held)
    return np.flatnonzero(~is_held), np.flatnonzero(is_held)


def deal_candidates(groups: Sequence[str], *, count: int, seed: int, purpose: str) -> Rows:
    """The part of each item, of so many: whole groups at random, larger ones first, each to the part that holds least.

    Groups of about the same size come in a random order, so that another purpose gives other parts.
    """
    names, sizes = np.unique(np.asarray(groups), return_counts=True)
    drawn = generator(seed, "dealt", purpose).sample(range(len(names)), len(names))
    filled, part = [0] * count, {}
    for place in sorted(drawn, key=lambda place: -int(sizes[place]).bit_length()):
        part[names[place]] = least = filled.index(min(filled))
        filled[least] += int(sizes[place])
    return np.asarray([part[group] for group in groups], dtype=np.int64)


def replace_easy(assigned: Rows, scores: NDArray[np.float32], *, most: int) -> Rows:
    """An item's wrong candidates after the easiest gave way to those that the model prefers to the right one.

    Numbers count the item's own candidates, of which 0 is the right one; `scores` has one for each. Easy is what
    scores below the right one, easiest what does so by most. Of the preferred, the most preferred come first.

    Example:
        >>> replaced(np.array([1, 2, 3]), np.array([5, 1, 9, 2, 7, 6, 0], dtype=np.float32), most=2)
        array([2, 4, 5])
    """
    easy = assigned[scores[assigned] < scores[0]]
    others = np.setdiff1d(np.arange(1, len(scores)), assigned)
    preferred = others[scores[others] > scores[0]]
    out = easy[np.argsort(scores[easy], kind="stable")]
    new = preferred[np.argsort(-scores[preferred], kind="stable")]
    count = min(most, len(out), len(new))
    return np.sort(np.concatenate([np.setdiff1d(assigned, out[:count]), new[:count]]))


def remember_easy(
    before: NDArray[np.float32], scores: NDArray[np.float32], truths: Rows, *, memory: float
) -> NDArray[np.float32]:
    """Opinions of candidates after a model gave them scores, of which some share is what was thought before.

    `truths` is for each candidate the place of the right one of its item. Scores are measured by their deviation.

    Example:
        >>> before = np.array([0, 3, np.nan], dtype=np.float32)
        >>> remembered(before, np.array([1, 2, 3], dtype=np.float32), np.zeros(3, dtype=np.int64), memory=0.5).round(2)
        array([0.  , 2.11, 2.45], dtype=float32)
    """
    now = (scores - scores[truths]) / max(float(scores.std()), 1e-6)
    return np.where(np.isnan(before), now, memory * before + (1 - memory) * now).astype(np.float32)


def accuracy(scores: NDArray[np.float32]) -> float:
    """The share of questions whose right candidate, in the first column, scores highest; ties count their part.

    Example:
        >>> accuracy(np.array([[2, 1], [1, 1]], dtype=np.float32))
        0.75
    """
    return float(is_right(scores).mean()) if len(scores) else 0.0


def is_right(scores: NDArray[np.float32]) -> NDArray[np.float64]:
    """For each question 1 where its right candidate, in the first column, scores highest; where it ties, its part."""
    best = scores == scores.max(axis=1, keepdims=True)
    return np.asarray(best[:, 0] / best.sum(axis=1), dtype=np.float64)
