"""The examples that only one dataset has, each followed through the other until it is lost."""

import polars as pl

from situatedgen.report.differences.bare import with_absence
from situatedgen.report.differences.changes import CHANGES, changes
from situatedgen.report.differences.fates import with_fates
from situatedgen.report.differences.halves import with_first
from situatedgen.report.differences.sides import Side, differ
from situatedgen.report.differences.words import Reason

RANKS = {stage: rank for rank, stage in enumerate(CHANGES)}


def absences(here: Side, there: Side) -> pl.DataFrame:
    """The examples that the other side lacks: the stage that lost them, why, and what befell them before."""
    pairs = here.examples.join(there.examples, on="example_id", how="anti")
    found = with_fates(pairs, there.tables) if there.tables else with_absence(pairs, there.examples)
    befell = changes(pairs, here.tables, there.tables)
    told = with_first(found, befell, prefix="change")
    renumbered = (pl.col("change_reason") == Reason.RENUMBERED.value).fill_null(value=False)
    return _as_renumbered(told.filter(renumbered), _with_change(told.filter(~renumbered), befell))


def _as_renumbered(moved: pl.DataFrame, others: pl.DataFrame) -> pl.DataFrame:
    """All absences, where what became of another record that has the id now is not told."""
    told = moved.with_columns(
        stage=pl.lit("items"),
        reason=pl.col("change_reason"),
        change=pl.lit(None, pl.String),
        statement_ids=pl.col("change_ids"),
        there=pl.lit(None, pl.Float64),
    )
    return pl.concat([others, told.select(others.columns)])


def _with_change(lost: pl.DataFrame, befell: pl.DataFrame) -> pl.DataFrame:
    """The absences, with what befell the lost statement, or either where the pair was lost, in an earlier stage."""
    own = befell.rename({"statement_id": "lost_id", "rank": "lost_rank", "reason": "lost_reason"})
    told = lost.with_columns(lost_id=pl.col("fate_ids").list.get(0, null_on_oob=True)).join(
        own, on="lost_id", how="left"
    )
    limit = pl.col("stage").replace_strict(RANKS, default=len(RANKS), return_dtype=pl.Int32)
    is_half = pl.col("lost_id").is_not_null()
    change = (
        pl.when(is_half & (pl.col("lost_rank") < limit))
        .then(pl.col("lost_reason"))
        .when(~is_half)
        .then(pl.coalesce("change_reason", _measured()))
    )
    ids = pl.when(is_half).then(pl.col("fate_ids")).otherwise(pl.col("change_ids"))
    return told.with_columns(change=change, statement_ids=ids).drop("lost_id", "lost_rank", "lost_reason")


def _measured() -> pl.Expr:
    moved = differ(pl.col("similarity"), pl.col("there"))
    return pl.when(moved).then(pl.lit(Reason.ENCODED_OTHERWISE.value))
