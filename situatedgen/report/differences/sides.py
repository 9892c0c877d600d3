"""One of two datasets that are compared, and what their examples have in common."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

Tables = Mapping[str, pl.DataFrame]
# The stages whose tables tell what became of a statement or a pair; `splits` has every kept pair.
TOLD_BY = (
    *("items", "statements", "entities", "keywords", "masks", "embeddings"),
    *("candidates", "shortlist", "judged", "selected", "splits", "judgements"),
)
# The last bits of an encoder's answer depend on the machine.
NOISE = 1e-5
DECIMALS = 6
FIELDS = ("statements", "keywords", "context", "similarity", "order")


@dataclass(frozen=True)
class Side:
    """A dataset: its examples in the form of `side`, and its tables by stage, none where they cannot be read."""

    examples: pl.DataFrame
    tables: Tables


def side(examples: pl.DataFrame, tables: Tables | None = None) -> Side:
    """A dataset to compare, from the rows of a build or of a folder alike."""
    plain = examples.select(
        "example_id",
        pl.col("split").cast(pl.String),
        pl.col("ids").list.get(0).alias("left_id"),
        pl.col("ids").list.get(1).alias("right_id"),
        "statements",
        "keywords",
        pl.col("keywords_pos").cast(pl.List(pl.Int64)),
        pl.col("context").cast(pl.String),
        pl.col("similarity").cast(pl.Float64).round(DECIMALS),
    )
    return Side(plain, tables or {})


def shared(old: Side, new: Side) -> pl.DataFrame:
    """The examples that both sides have, with the fields in which they differ; what is new ends in `_new`."""
    both = old.examples.join(new.examples, on="example_id", suffix="_new")
    words = pl.col("keywords").list.sort() != pl.col("keywords_new").list.sort()
    order = _differs("keywords") | _differs("keywords_pos")
    flags = (
        _differs("statements"),
        words,
        _differs("context"),
        differ(pl.col("similarity"), pl.col("similarity_new")),
        order & ~words,
    )
    named = [pl.when(flag).then(pl.lit(name)) for name, flag in zip(FIELDS, flags, strict=True)]
    return both.with_columns(fields=pl.concat_list(named).list.drop_nulls())


def differ(left: pl.Expr, right: pl.Expr) -> pl.Expr:
    """Two similarities differ by more than noise."""
    return (left - right).abs() > NOISE


def _differs(name: str) -> pl.Expr:
    return pl.col(name) != pl.col(f"{name}_new")
