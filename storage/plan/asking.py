"""How much a stage will ask its model, and how much of that is remembered."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

from storage.plan.bench import Bench
from storage.plan.rows import Part
from storage.plan.sight import Tables


class Unit(NamedTuple):
    """The id of what a stage works on, and which columns of its first input are what it asks."""

    id: str
    asked: Mapping[str, str]


TEXT = {"text": "text"}
UNITS = {
    "statements": Unit("item_id", {name: name for name in ("question", "answer", "kind")}),
    "entities": Unit("statement_id", TEXT),
    "keywords": Unit("statement_id", TEXT),
    "masks": Unit("statement_id", {}),
    "parses": Unit("statement_id", TEXT),
    "embeddings": Unit("statement_id", {"masked_text": "text"}),
    "concepts": Unit("item_id", {"statement": "text"}),
}


@dataclass(frozen=True)
class Questions:
    """What a stage will ask: `sure` questions, `missing` ones never answered, and those of ids not known yet.

    `total` counts the distinct questions known so far; `nameless` the ids whose question is not known.
    """

    sure: int
    total: int
    missing: pl.DataFrame
    missing_sure: int
    nameless: int

    @property
    def rows(self) -> int:
        """How many answers are to be computed, at most."""
        return self.missing.height + self.nameless

    @property
    def of(self) -> int:
        """How many answers the stage asks for, at most."""
        return self.total + self.nameless

    @property
    def known(self) -> int:
        """How many answers are remembered and surely asked for."""
        return self.sure - self.missing_sure


def questions(bench: Bench, tables: Tables, waiting: frozenset[str]) -> Questions:
    """What a stage will ask of the known rows, and may ask of the ids that wait for an earlier stage."""
    unit, first = UNITS[bench.job.stage], tables[bench.each.inputs[0]]
    asking = first.drop_nulls([*unit.asked])
    sure = bench.questions({**tables, bench.each.inputs[0]: asking})
    late = Part.of(unit.id, waiting).within(first)
    all_known = pl.concat([sure, _asked(late, unit)]).unique(maintain_order=True)
    missing = bench.unknown(all_known)
    missing_sure = missing.join(sure, on=sure.columns, how="semi").height
    nameless = len(waiting) - late[unit.id].n_unique()
    return Questions(sure.height, all_known.height, missing, missing_sure, nameless)


def unanswered(first: pl.DataFrame, missing: pl.DataFrame, unit: Unit) -> set[str]:
    """The ids of the rows whose question is among those never answered."""
    asked = pl.concat([first.select(unit.id), _columns(first, unit)], how="horizontal")
    return set(asked.join(missing, on=missing.columns, how="semi")[unit.id])


def _asked(rows: pl.DataFrame, unit: Unit) -> pl.DataFrame:
    return _columns(rows, unit).drop_nulls().unique(maintain_order=True)


def _columns(rows: pl.DataFrame, unit: Unit) -> pl.DataFrame:
    return rows.select(pl.col(name).cast(pl.String).alias(asked) for name, asked in unit.asked.items())
