"""What is left of a statement when its keywords are hidden."""

import polars as pl

from situatedgen.params import MaskParams
from situatedgen.schemas import MASKS
from situatedgen.vocabulary import GEO_LABELS, TEMP_LABELS, Context, Verdict


def masks(
    statements: pl.DataFrame, entities: pl.DataFrame, keywords: pl.DataFrame, *, params: MaskParams
) -> pl.DataFrame:
    """Hide every keyword of a statement behind the mask, and judge its contexts and its masks."""
    kept = statements.filter(pl.col("verdict") == Verdict.KEPT).select("statement_id", "text")
    masked = kept.join(_masked(kept, keywords, params.mask), on="statement_id", how="left")
    found = masked.join(_contexts(entities), on="statement_id", how="left")
    hidden = found.with_columns(
        pl.coalesce("masked_text", "text"),
        pl.col("mask_count").fill_null(0),
        pl.col("context").fill_null(Context.NONE.value),
    )
    return MASKS.select(hidden, ("statement_id", "masked_text", "mask_count", "context", _verdict(params)))


def _contexts(entities: pl.DataFrame) -> pl.DataFrame:
    """The context of each statement with entities: what `rules.contexts.context_of` says of one, for all at once."""
    geo, temp = (pl.col("label").is_in(labels).any() for labels in (GEO_LABELS, TEMP_LABELS))
    flags = entities.group_by("statement_id").agg(geo=geo, temp=temp)
    context = (
        pl.when(pl.col("geo") & pl.col("temp"))
        .then(pl.lit(Context.BOTH.value))
        .when("geo")
        .then(pl.lit(Context.GEO.value))
        .when("temp")
        .then(pl.lit(Context.TEMP.value))
        .otherwise(pl.lit(Context.NONE.value))
    )
    return flags.select("statement_id", context=context)


def _masked(kept: pl.DataFrame, keywords: pl.DataFrame, mask: str) -> pl.DataFrame:
    """Each text that has keywords, masked: what `rules.masking.mask` says of one, for all at once."""
    spans = keywords.sort("statement_id", "start").select("statement_id", pl.col("start", "end").cast(pl.Int64))
    since = pl.when(pl.col("statement_id").is_first_distinct()).then(0).otherwise(pl.col("end").shift())
    placed = spans.with_columns(since=since).join(kept, on="statement_id", maintain_order="left")
    gap = pl.col("text").str.slice("since", (pl.col("start") - pl.col("since")).clip(0))
    pieces = placed.with_columns(pieces=gap + pl.lit(mask)).group_by("statement_id", maintain_order=True)
    whole = pieces.agg("pieces", pl.col("text", "end").last(), mask_count=pl.len())
    masked_text = pl.col("pieces").list.join("") + pl.col("text").str.slice("end")
    return whole.select("statement_id", "mask_count", masked_text=masked_text)


def _verdict(params: MaskParams) -> pl.Expr:
    """What `rules.masking.mask_verdict` says of one statement, for all at once."""
    few, many = pl.col("mask_count") < params.min_masks, pl.col("mask_count") > params.max_masks
    return (
        pl.when(pl.col("context") == Context.NONE.value)
        .then(pl.lit(Verdict.NO_CONTEXT.value))
        .when(few)
        .then(pl.lit(Verdict.TOO_FEW_MASKS.value))
        .when(many)
        .then(pl.lit(Verdict.TOO_MANY_MASKS.value))
        .otherwise(pl.lit(Verdict.KEPT.value))
    )
