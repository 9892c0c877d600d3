"""From what befell statements to what befell the pairs that they are the halves of."""

from collections.abc import Mapping

import polars as pl

SIDES = ("left", "right")
BEFELL: dict[str, type[pl.DataType]] = {"statement_id": pl.String, "rank": pl.Int32, "reason": pl.String}


def statement_ids(pairs: pl.DataFrame) -> pl.DataFrame:
    """The statements of some pairs, each once."""
    return pl.concat([pairs["left_id"], pairs["right_id"]]).unique().sort().alias("statement_id").to_frame()


def first_of(ids: pl.DataFrame, reasons: Mapping[str, pl.Expr]) -> pl.DataFrame:
    """What befell each statement first, given a reason or null for each stage in order; none that nothing befell."""
    ranks = [pl.when(reason.is_not_null()).then(pl.lit(rank)) for rank, reason in enumerate(reasons.values())]
    found = ids.select("statement_id", pl.coalesce(ranks).alias("rank"), pl.coalesce(*reasons.values()).alias("reason"))
    return found.drop_nulls().cast(BEFELL)  # type: ignore[arg-type]


def with_first(pairs: pl.DataFrame, befell: pl.DataFrame, *, prefix: str) -> pl.DataFrame:
    """The pairs, with what befell their halves first: PREFIX_rank, PREFIX_reason, and the PREFIX_ids it befell."""
    for side in SIDES:
        half = befell.rename({"statement_id": f"{side}_id", "rank": f"{side}_rank", "reason": f"{side}_reason"})
        pairs = pairs.join(half, on=f"{side}_id", how="left", maintain_order="left")
    rank = pl.min_horizontal("left_rank", "right_rank")
    reason = pl.coalesce(pl.when(pl.col(f"{side}_rank") == rank).then(pl.col(f"{side}_reason")) for side in SIDES)
    hit = [(pl.col(f"{side}_rank") == rank) & (pl.col(f"{side}_reason") == reason) for side in SIDES]
    culprits = [pl.when(flag).then(pl.col(f"{side}_id")) for side, flag in zip(SIDES, hit, strict=True)]
    told = {"rank": rank, "reason": reason, "ids": pl.concat_list(culprits).list.drop_nulls()}
    return pairs.with_columns(**{f"{prefix}_{name}": value for name, value in told.items()}).drop(
        f"{side}_{name}" for side in SIDES for name in ("rank", "reason")
    )
