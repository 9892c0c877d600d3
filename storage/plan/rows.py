"""Which rows differ between two tables of one schema."""

from collections.abc import Set
from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

from situatedgen.schemas import Schema


class Delta(NamedTuple):
    """How many rows were added, are gone, and say something else under the same key."""

    added: int
    gone: int
    changed: int

    def __str__(self) -> str:
        """The counts that are not zero: `+12 −3 ~1 rows`."""
        signs = zip("+−~", self, strict=True)
        counts = [f"{sign}{count:,}" for sign, count in signs if count]
        return f"{' '.join(counts)} rows" if counts else "the same rows"


def delta(before: pl.DataFrame, now: pl.DataFrame, schema: Schema) -> Delta:
    """How one table differs from another, row by row, by the schema's key."""
    key = list(schema.key)
    added = now.join(before, on=key, how="anti").height
    old = before.join(now, on=key, how="semi").sort(key)
    new = now.join(before, on=key, how="semi").sort(key)
    return Delta(added, before.height - old.height, _unequal(old, new))


def changed_ids(before: pl.DataFrame, now: pl.DataFrame, column: str) -> set[str]:
    """The ids of all rows that stand in only one of two tables."""
    if before.schema != now.schema:
        return {*before[column], *now[column]}
    columns = list(now.columns)
    only_now = now.join(before, on=columns, how="anti", nulls_equal=True)
    only_before = before.join(now, on=columns, how="anti", nulls_equal=True)
    return {*only_now[column], *only_before[column]}


@dataclass(frozen=True, slots=True)
class Part:
    """The rows of some ids."""

    column: str
    ids: pl.Series

    @classmethod
    def of(cls, column: str, ids: Set[str]) -> "Part":
        """The part of a set of ids."""
        return cls(column, pl.Series("ids", sorted(ids), pl.String))

    def within(self, table: pl.DataFrame) -> pl.DataFrame:
        """The rows of a table that belong to it."""
        return table.filter(pl.col(self.column).is_in(self.ids.implode()))

    def without(self, table: pl.DataFrame) -> pl.DataFrame:
        """The other rows of a table."""
        return table.filter(~pl.col(self.column).is_in(self.ids.implode()))


def _unequal(old: pl.DataFrame, new: pl.DataFrame) -> int:
    """How many rows differ between tables with the same keys in the same order."""
    if old.columns != new.columns or old.schema != new.schema:
        return new.height
    differs = pl.DataFrame([old[name].ne_missing(new[name]) for name in new.columns])
    return int(differs.select(pl.any_horizontal(pl.all()).sum()).item())
