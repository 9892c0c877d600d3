"""Items to filter with their pools of wrong candidates, and the protocol of the models that judge them."""

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
"""Candidate indices in a pool: of one item, of all, or one row per item."""

POOLS = Schema(
    {"item_id": TEXT, "group": TEXT, "candidate": pl.UInt32(), "first": TEXT, "second": TEXT},
    key=("item_id", "candidate"),
)
"""Candidate 0 of an item is the right one. Items of one group never end up on both sides of a split."""


@dataclass(frozen=True)
class Pool:
    """The candidates of all items, item by item, the right one of each before its wrong ones.

    A candidate consists of two texts, `first` and `second`: a context and its continuation, or two sentences.
    """

    item_ids: tuple[str, ...]
    groups: tuple[str, ...]
    starts: Rows
    first: tuple[str, ...]
    second: tuple[str, ...]

    def __len__(self) -> int:
        """Number of items."""
        return len(self.item_ids)

    @property
    def truths(self) -> Rows:
        """Index of each item's right candidate."""
        return self.starts[:-1]

    @cached_property
    def sizes(self) -> Rows:
        """Number of wrong candidates per item."""
        return np.diff(self.starts) - 1

    def of(self, item: int) -> Rows:
        """Candidates of an item, the right one first."""
        return np.arange(self.starts[item], self.starts[item + 1])

    @cached_property
    def digest(self) -> str:
        """Digest of the pool's content."""
        values = "\x1f".join((*self.item_ids, *self.groups, *map(str, self.starts), *self.first, *self.second))
        return hashlib.sha256(values.encode("utf-8")).hexdigest()


def pool_of(pools: pl.DataFrame, *, wrong: int, population: int, distinct: bool = True) -> Pool:
    """Build a pool from the items that have enough wrong candidates, keeping the first `population` of each.

    `distinct=False` allows duplicate candidates, which occur when a model sees only part of each text.

    Raises:
        SchemaError: the table does not have the schema, an item has no right candidate, or has a candidate twice.
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
        "is in two groups": pl.col("group").n_unique() != 1,
    }
    for fault, is_so in faults.items():
        found = pools.group_by("item_id", maintain_order=True).agg(is_so.alias("is_so")).filter("is_so")
        if found.height:
            raise SchemaError(f"pools: item {found['item_id'][0]!r} {fault}")


def texts(pool: Pool, rows: Sequence[int]) -> list[str]:
    """Candidates as one text each."""
    return [f"{pool.first[row]} {pool.second[row]}" for row in rows]


Scores: TypeAlias = Mapping[str, NDArray[np.float32]]
"""Scores of candidates by committee member; a higher score means more likely to be the right one."""


class Judge(Protocol):
    """A trained discriminator."""

    def scores(self, rows: Rows) -> Scores:
        """Scores of candidates by member, independent of the other candidates in the call."""


class Discriminator(Protocol):
    """A model, or a committee of which one member decides; it is retrained in every iteration."""

    @property
    def decides(self) -> str:
        """The member whose scores choose the replacements and whose accuracy should fall."""

    @property
    def identity(self) -> str:
        """Everything besides the pool that affects its answers: its kind and settings."""

    def fit(self, pool: Pool, questions: Rows, *, seed: int) -> Judge:
        """Train a judge on questions, one row per item with the right candidate first."""


@dataclass(frozen=True)
class State:
    """State of a filtering: each item's current wrong candidates, and the opinion on every candidate.

    An opinion is the margin by which models preferred a candidate to the right one; NaN if it was never scored.
    """

    assignment: Rows
    opinions: NDArray[np.float32]


def first_assignment(pool: Pool, *, wrong: int, seed: int) -> Rows:
    """Draw `wrong` wrong candidates for each item by its id; one row per item, ascending."""
    drawn = [
        sorted(order(seed, f"assignment\x1f{item_id}", int(size))[:wrong])
        for item_id, size in zip(pool.item_ids, pool.sizes, strict=True)
    ]
    return np.asarray(drawn, dtype=np.int64).reshape(len(pool), wrong) + pool.truths[:, None] + 1


def questions(pool: Pool, assignment: Rows) -> Rows:
    """One row per item: its right candidate, then its assigned wrong ones."""
    return np.concatenate([pool.truths[:, None], assignment], axis=1)


def parts(groups: Sequence[str], *, train_share: float, seed: int, purpose: str) -> tuple[Rows, Rows]:
    """Split items at random into train and held-out ones; all items of a group go to the same side."""
    of_items = np.asarray(groups)
    names, sizes = np.unique(of_items, return_counts=True)
    shuffled = generator(seed, "parts", purpose).sample(range(len(names)), len(names))
    before = np.concatenate([[0], np.cumsum(sizes[shuffled])[:-1]])
    held = names[shuffled][before < round((1 - train_share) * len(of_items))]
    is_held = np.isin(of_items, held)
    return np.flatnonzero(~is_held), np.flatnonzero(is_held)


def assign_parts(groups: Sequence[str], *, count: int, seed: int, purpose: str) -> Rows:
    """Assign each item to one of `count` parts: whole groups, larger ones first, each to the smallest part so far.

    Groups of about the same size come in random order, so that another purpose gives other parts.
    """
    names, sizes = np.unique(np.asarray(groups), return_counts=True)
    drawn = generator(seed, "dealt", purpose).sample(range(len(names)), len(names))
    filled, part = [0] * count, {}
    for place in sorted(drawn, key=lambda place: -int(sizes[place]).bit_length()):
        part[names[place]] = least = filled.index(min(filled))
        filled[least] += int(sizes[place])
    return np.asarray([part[group] for group in groups], dtype=np.int64)


def replace_easy(assigned: Rows, scores: NDArray[np.float32], *, most: int) -> Rows:
    """An item's wrong candidates after replacing the easiest by candidates that the model prefers to the right one.

    Indices are local to the item, with 0 for the right candidate; `scores` has one score each. A candidate is easy if
    it scores below the right one, and the lowest score is the easiest. Replacements come in order of preference.

    Example:
        >>> replace_easy(np.array([1, 2, 3]), np.array([5, 1, 9, 2, 7, 6, 0], dtype=np.float32), most=2)
        array([2, 4, 5])
    """
    easy = assigned[scores[assigned] < scores[0]]
    others = np.setdiff1d(np.arange(1, len(scores)), assigned)
    preferred = others[scores[others] > scores[0]]
    out = easy[np.argsort(scores[easy], kind="stable")]
    new = preferred[np.argsort(-scores[preferred], kind="stable")]
    count = min(most, len(out), len(new))
    return np.sort(np.concatenate([np.setdiff1d(assigned, out[:count]), new[:count]]))


def update_opinions(
    before: NDArray[np.float32], scores: NDArray[np.float32], truths: Rows, *, memory: float
) -> NDArray[np.float32]:
    """Moving average of the opinions after new scores; `memory` is the weight of the previous opinions.

    `truths` is, for each candidate, the index of its item's right one. Scores are divided by their standard deviation.

    Example:
        >>> before, scores = np.array([0, 3, np.nan], dtype=np.float32), np.array([1, 2, 3], dtype=np.float32)
        >>> update_opinions(before, scores, np.zeros(3, dtype=np.int64), memory=0.5).round(2)
        array([0.  , 2.11, 2.45], dtype=float32)
    """
    now = (scores - scores[truths]) / max(float(scores.std()), 1e-6)
    return np.where(np.isnan(before), now, memory * before + (1 - memory) * now).astype(np.float32)


def accuracy(scores: NDArray[np.float32]) -> float:
    """Share of questions whose right candidate, in the first column, scores highest; ties count fractionally.

    Example:
        >>> accuracy(np.array([[2, 1], [1, 1]], dtype=np.float32))
        0.75
    """
    return float(is_right(scores).mean()) if len(scores) else 0.0


def is_right(scores: NDArray[np.float32]) -> NDArray[np.float64]:
    """Per question, 1 if the right candidate (first column) scores highest; 1/n if it ties with n - 1 others."""
    best = scores == scores.max(axis=1, keepdims=True)
    return np.asarray(best[:, 0] / best.sum(axis=1), dtype=np.float64)
