"""Where the sentences of a dataset come from: each source's licence and citation."""

from dataclasses import dataclass

import polars as pl

from situatedgen.report.rows import Rows
from situatedgen.rules.licences import hub_licence


@dataclass(frozen=True, slots=True)
class Origin:
    """A source, its licence and citation, and how many of its statements stand in the dataset."""

    source: str
    licence: str
    citation: str
    statements: int


def origins(items: pl.DataFrame, examples: pl.DataFrame) -> tuple[Origin, ...]:
    """Every source, by name and licence."""
    used = examples["ids"].explode(empty_as_null=False).unique()
    counted = items.group_by("source", "licence", "citation").agg(pl.col("item_id").is_in(used.implode()).sum())
    return tuple(Origin(*row) for row in counted.sort("source", "licence", "citation").iter_rows())


def hub_licences(found: tuple[Origin, ...]) -> tuple[str, ...]:
    """The licences of the statements in the dataset, by the names that dataset hubs know, sorted."""
    return tuple(sorted({hub_licence(origin.licence) for origin in found if origin.statements}))


def origin_rows(found: tuple[Origin, ...]) -> Rows:
    """A row a source."""
    rows = tuple((each.source, f"{each.statements:,}", each.licence, each.citation) for each in found)
    header = ("source", "statements used", "licence", "citation")
    return Rows("Sources", header, rows, frozenset({0, 2, 3}))
