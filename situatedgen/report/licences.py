"""Where the sentences of a dataset come from: each source's licence and citation."""

from dataclasses import dataclass

import polars as pl

from situatedgen.report.rows import Rows

# The names that dataset hubs know; anything else is `other`.
KNOWN = {
    "mit": "mit",
    "apache 2.0": "apache-2.0",
    "bsd 3 clause": "bsd-3-clause",
    "cc0 1.0": "cc0-1.0",
    "cc by 3.0": "cc-by-3.0",
    "cc by 4.0": "cc-by-4.0",
    "cc by sa 3.0": "cc-by-sa-3.0",
    "cc by sa 4.0": "cc-by-sa-4.0",
    "cc by nc 4.0": "cc-by-nc-4.0",
    "cc by nc sa 4.0": "cc-by-nc-sa-4.0",
    "odc by": "odc-by",
    "not stated": "unknown",
}


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


def hub_licence(licence: str) -> str:
    """A licence by the name that dataset hubs know it by.

    Example:
        >>> hub_licence("CC BY-SA 4.0")
        'cc-by-sa-4.0'
    """
    return KNOWN.get(licence.lower().replace("-", " ").strip(), "other")


def origin_rows(found: tuple[Origin, ...]) -> Rows:
    """A row a source."""
    rows = tuple((each.source, f"{each.statements:,}", each.licence, each.citation) for each in found)
    header = ("source", "statements used", "licence", "citation")
    return Rows("Sources", header, rows, frozenset({0, 2, 3}))
