"""Why an example stands in another split: its community changed, or was dealt elsewhere."""

import polars as pl

from situatedgen.report.differences.sides import Tables
from situatedgen.report.differences.words import Reason


def with_moves(moved: pl.DataFrame, old: Tables, new: Tables) -> pl.DataFrame:
    """The moved examples, with the stage and the reason; where a side has no tables, only that they moved."""
    if not old or not new:
        return moved.with_columns(stage=pl.lit("splits"), reason=pl.lit(Reason.OTHER_SPLIT.value))
    homes = {name: _members(tables) for name, tables in (("old", old), ("new", new))}
    both = homes["old"].join(homes["new"], on="statement_id", suffix="_new")
    common = both.group_by("community", "community_new", "size", "size_new").len("common")
    placed = moved.join(_placed(old), on="example_id", how="left").join(
        _placed(new), on="example_id", how="left", suffix="_new"
    )
    known = placed.join(common, on=["community", "community_new"], how="left")
    whole_old, whole_new = pl.col("common") == pl.col("size"), pl.col("common") == pl.col("size_new")
    dealt = whole_old & whole_new
    return known.with_columns(
        stage=pl.when(dealt).then(pl.lit("splits")).otherwise(pl.lit("communities")),
        reason=pl.when(dealt)
        .then(pl.lit(Reason.DEALT_ELSEWHERE.value))
        .when(whole_old)
        .then(pl.lit(Reason.COMMUNITY_GREW.value))
        .when(whole_new)
        .then(pl.lit(Reason.COMMUNITY_SHRANK.value))
        .otherwise(pl.lit(Reason.COMMUNITY_REGROUPED.value)),
    )


def _placed(tables: Tables) -> pl.DataFrame:
    return tables["splits"].drop_nulls("community").select(pl.col("pair_id").alias("example_id"), "community")


def _members(tables: Tables) -> pl.DataFrame:
    """The statements of each community that has examples, with how many they are."""
    kept = tables["splits"].drop_nulls("community")
    sides = kept.unpivot(["left_id", "right_id"], index="community", value_name="statement_id")
    members = sides.select("statement_id", "community").unique()
    return members.with_columns(size=pl.len().over("community"))
