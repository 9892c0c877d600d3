"""Ids are places in a file: a line put in or taken out gives the ids after it to other records."""

from collections.abc import Iterable

import polars as pl

RECORD = ("source", "kind", "question", "answer", "statement")


def renumbered(edited: pl.DataFrame, old: pl.DataFrame, new: pl.DataFrame) -> pl.Series:
    """The ids among edited or missing items whose record still stands, or stood, under another id."""
    if edited.is_empty():
        return pl.Series("statement_id", [], dtype=pl.String)
    parts = [_standing(edited, here, there) for here, there in ((old, new), (new, old))]
    return pl.concat(parts).unique().sort()


def as_text(columns: Iterable[str]) -> pl.Expr:
    """Some columns of a row as one text, nulls and borders fixed."""
    return pl.concat_str([pl.col(name).cast(pl.String).fill_null("\x00") for name in columns], separator="\x1f")


def _standing(edited: pl.DataFrame, here: pl.DataFrame, there: pl.DataFrame) -> pl.Series:
    """The ids whose record of one side has as many copies in the other: fewer, and it was edited or is gone."""
    records = here.select(pl.col("item_id").alias("statement_id"), as_text(RECORD).alias("record"))
    copies = records.group_by("record").len("here")
    others = there.select(as_text(RECORD).alias("record")).group_by("record").len("there")
    standing = copies.join(others, on="record").filter(pl.col("there") >= pl.col("here"))
    return edited.join(records, on="statement_id").join(standing, on="record", how="semi")["statement_id"]
