"""Pairs between communities of the same split: nothing leaks when they stay, as far as the shares allow."""

from collections.abc import Mapping

import polars as pl

from situatedgen.params import SplitParams
from situatedgen.rules.assignment import capacity
from situatedgen.schemas import SPLIT, VERDICT
from situatedgen.vocabulary import Split, Verdict


def with_crossing(table: pl.DataFrame, dealt: Mapping[int, Split], params: SplitParams) -> pl.DataFrame:
    """The pairs, in which those that cross from one community to another of the same split are kept.

    Dev and test take the most alike, and no more than their shares have room for. A kept pair that crosses is of no
    community.
    """
    left, right = (_split(side, dealt) for side in ("left", "right"))
    crossing = (pl.col("verdict") != Verdict.KEPT) & left.eq(right)
    found = table.with_columns(_there=pl.when(crossing).then(left)).with_columns(
        _rank=pl.struct(-pl.col("similarity"), "left_id", "right_id").rank("ordinal").over("_there")
    )
    taken = _taken(table, found["_there"], params)
    allowed = pl.col("_there").cast(pl.String).replace_strict(taken, default=0, return_dtype=pl.Int64)
    stays = pl.col("_there").is_not_null() & (pl.col("_rank") <= allowed)
    kept = pl.lit(Verdict.KEPT.value).cast(VERDICT)
    return found.with_columns(
        split=pl.when(stays).then("_there").otherwise("split"), verdict=pl.when(stays).then(kept).otherwise("verdict")
    ).drop("_there", "_rank")


def _split(side: str, dealt: Mapping[int, Split]) -> pl.Expr:
    """The split of a pair's statement: as it was decided, or as its home was dealt."""
    return pl.coalesce(f"{side}_split", pl.col(f"{side}_home").replace_strict(dealt, default=None, return_dtype=SPLIT))


def _taken(table: pl.DataFrame, there: pl.Series, params: SplitParams) -> dict[str, int]:
    """How many pairs that cross each split takes: train all of them, dev and test what fits."""
    held, offered = (
        {split.value: int((column == split.value).sum()) for split in Split} for column in (table["split"], there)
    )
    taken, shares = dict(offered), {Split.TEST.value: params.test_share, Split.DEV.value: params.dev_share}
    while True:
        total = sum(held.values()) + sum(taken.values())
        fits = {split: max(capacity(share, total) - held[split], 0) for split, share in shares.items()}
        less = {split: min(taken[split], fits[split]) for split in shares}
        if all(taken[split] == less[split] for split in shares):
            return taken
        taken |= less
