"""The stage `pairs`: the candidates that become pairs, with the contexts they share."""

import polars as pl

from situatedgen.params import PairParams
from situatedgen.rules.pairs import is_dissimilar, shared_context
from situatedgen.schemas import CONTEXT, PAIRS, VERDICT
from situatedgen.vocabulary import Context, Verdict


def pairs(masks: pl.DataFrame, candidates: pl.DataFrame, *, params: PairParams) -> pl.DataFrame:
    """Keep the candidates that break no rule and are similar enough, with the contexts that each pair shares."""
    kept = candidates.filter(pl.col("verdict") == Verdict.KEPT).drop("verdict")
    return (
        kept.join(_contexts(masks, "left"), on="left_id")
        .join(_contexts(masks, "right"), on="right_id")
        .join(shared_contexts(), on=["left_context", "right_context"])
        .with_columns(
            pl.concat_str("left_id", "right_id", separator="|").alias("pair_id"),
            pl.when(is_dissimilar(pl.col("similarity"), params.min_similarity))
            .then(pl.lit(Verdict.TOO_DISSIMILAR, VERDICT))
            .otherwise(pl.lit(Verdict.KEPT, VERDICT))
            .alias("verdict"),
        )
        .select(*PAIRS.columns)
        .sort(PAIRS.key)
    )


def shared_contexts() -> pl.DataFrame:
    """A table of the context that every two contexts share."""
    return pl.DataFrame(
        [(left, right, shared_context(left, right)) for left in Context for right in Context],
        schema={"left_context": CONTEXT, "right_context": CONTEXT, "context": CONTEXT},
        orient="row",
    )


def _contexts(masks: pl.DataFrame, side: str) -> pl.DataFrame:
    return masks.select(pl.col("statement_id").alias(f"{side}_id"), pl.col("context").alias(f"{side}_context"))
