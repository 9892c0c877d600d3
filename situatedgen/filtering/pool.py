"""Items to filter: each a right candidate and many wrong ones, all in one row of numbers."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from situatedgen.errors import SchemaError
from situatedgen.schemas import TEXT, Schema, check

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
