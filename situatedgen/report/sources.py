"""Table 1: what each source gave."""

from collections.abc import Sequence

import polars as pl

from situatedgen.report.statistics import SourceCounts
from situatedgen.vocabulary import Context, Verdict

COUNTED = (
    ("geo", (Context.GEO,)),
    ("temp", (Context.TEMP,)),
    ("both", (Context.BOTH,)),
    ("valid", (Context.GEO, Context.TEMP, Context.BOTH)),
)


def source_counts(items: pl.DataFrame, statements: pl.DataFrame, masks: pl.DataFrame) -> tuple[SourceCounts, ...]:
    """A row of Table 1 for each source, by name."""
    kept = statements.filter(pl.col("verdict") == Verdict.KEPT)
    placed = kept.select("statement_id", "source").join(
        masks.select("statement_id", "context"), on="statement_id", how="left"
    )
    counts = placed.group_by("source").agg(
        pl.len().alias("sentences"),
        *(_having(contexts).alias(name) for name, contexts in COUNTED),
    )
    rows = items.group_by("source").agg(items=pl.len()).join(counts, on="source", how="left").fill_null(0)
    return tuple(SourceCounts(**row) for row in rows.sort("source").iter_rows(named=True))


def total(rows: Sequence[SourceCounts]) -> SourceCounts:
    """The sum of all rows."""
    return SourceCounts(
        source="total",
        items=sum(row.items for row in rows),
        sentences=sum(row.sentences for row in rows),
        geo=sum(row.geo for row in rows),
        temp=sum(row.temp for row in rows),
        both=sum(row.both for row in rows),
        valid=sum(row.valid for row in rows),
    )


def _having(contexts: tuple[Context, ...]) -> pl.Expr:
    return pl.col("context").is_in([context.value for context in contexts]).sum()
