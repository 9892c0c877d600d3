"""Where an example that one dataset has was lost on its way to the other: the first stage that said no."""

import polars as pl

from situatedgen.report.differences.halves import first_of, statement_ids, with_first
from situatedgen.report.differences.sides import DECIMALS, Tables
from situatedgen.report.differences.words import Reason
from situatedgen.stages.pairs import shared_contexts
from situatedgen.vocabulary import Context, Verdict

KEPT = Verdict.KEPT.value
JUDGES = ("items", "statements", "masks")
PAIR = ("left_id", "right_id")
AFTER_PAIRS = ("shortlist", "judged", "selected", "splits", "judgements")


def with_fates(pairs: pl.DataFrame, tables: Tables) -> pl.DataFrame:
    """The pairs, with the stage of a funnel that lost them, why, by which statements, and their similarity there."""
    judged = with_first(pairs, _statement_fates(statement_ids(pairs), tables), prefix="fate")
    stage = pl.col("fate_rank").replace_strict(dict(enumerate(JUDGES)), default=None, return_dtype=pl.String)
    known = _with_verdicts(judged, tables).with_columns(stage=stage)
    told = known.with_columns(
        stage=pl.coalesce("stage", *(pl.when(lost).then(pl.lit(name)) for name, lost, _ in _PAIR_FATES)),
        reason=pl.coalesce("fate_reason", *(pl.when(lost).then(reason) for _, lost, reason in _PAIR_FATES)),
    )
    return _with_low_similarities(told, tables).with_columns(pl.col("there").round(DECIMALS))


def _statement_fates(ids: pl.DataFrame, tables: Tables) -> pl.DataFrame:
    """Where each statement that is lost was lost, and why."""
    for stage in JUDGES:
        key = pl.col("item_id" if stage == "items" else "statement_id").alias("statement_id")
        verdicts = tables[stage].select(key, pl.col("verdict").cast(pl.String).alias(stage))
        ids = ids.join(verdicts, on="statement_id", how="left")
    known = ids.with_columns(pl.col("items").fill_null(Reason.NO_ITEM.value))
    return first_of(known, {stage: pl.when(pl.col(stage) != KEPT).then(pl.col(stage)) for stage in JUDGES})


def _with_verdicts(pairs: pl.DataFrame, tables: Tables) -> pl.DataFrame:
    """The pairs, with what masks, candidates and every stage after the pairs say of them."""
    for side in ("left", "right"):
        masks = tables["masks"].select(
            pl.col("statement_id").alias(f"{side}_id"),
            pl.col("context").alias(f"{side}_context"),
            pl.col("masked_text").alias(f"{side}_masked"),
        )
        pairs = pairs.join(masks, on=f"{side}_id", how="left")
    candidates = tables["candidates"].select(
        *PAIR,
        pl.col("similarity").cast(pl.Float64).alias("there"),
        pl.col("verdict").cast(pl.String).alias("candidate"),
    )
    contexts = shared_contexts().rename({"context": "common"})
    found = pairs.join(candidates, on=PAIR, how="left").join(contexts, on=["left_context", "right_context"], how="left")
    for stage in AFTER_PAIRS:
        verdicts = tables[stage].select(*PAIR, pl.col("verdict").cast(pl.String).alias(stage))
        found = found.join(verdicts, on=PAIR, how="left")
    return found


# Every kept pair has a row in the shortlist, so that a kept candidate without one is too dissimilar.
_CANDIDATE = pl.col("candidate")
_PAIR_FATES: tuple[tuple[str, pl.Expr, pl.Expr], ...] = (
    (
        "candidates",
        _CANDIDATE.is_null() & (pl.col("common") == Context.NONE.value),
        pl.lit(Verdict.NO_COMMON_KIND.value),
    ),
    ("candidates", _CANDIDATE.is_null(), pl.lit(Reason.NO_CANDIDATE.value)),
    ("candidates", _CANDIDATE != KEPT, _CANDIDATE),
    ("pairs", pl.col("shortlist").is_null(), pl.lit(Verdict.TOO_DISSIMILAR.value)),
    *((stage, pl.col(stage) != KEPT, pl.col(stage)) for stage in AFTER_PAIRS),
    ("examples", pl.lit(value=True), pl.lit(Reason.NOT_IN_FOLDER.value)),
)


def _with_low_similarities(told: pl.DataFrame, tables: Tables) -> pl.DataFrame:
    """The pairs, with the similarity of those that were too dissimilar to be candidates."""
    low = told.filter(pl.col("reason") == Reason.NO_CANDIDATE.value).select("example_id", "left_masked", "right_masked")
    if low.is_empty():
        return told
    for side in ("left", "right"):
        vectors = tables["embeddings"].rename({"masked_text": f"{side}_masked", "vector": side})
        low = low.join(vectors, on=f"{side}_masked", how="left")
    product = pl.Series("measured", (low["left"].to_numpy() * low["right"].to_numpy()).sum(axis=1), dtype=pl.Float64)
    measured = low.select("example_id").with_columns(product)
    return told.join(measured, on="example_id", how="left").with_columns(there=pl.coalesce("there", "measured"))
