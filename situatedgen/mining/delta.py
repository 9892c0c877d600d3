"""What an earlier search still says: a pair depends on its two statements and the floor alone."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from situatedgen.mining.pool import Pool
from situatedgen.mining.similarity import Vectors
from situatedgen.vocabulary import Verdict

Flags = NDArray[np.bool_]
# Vectors at a time: so few that they stay in the cache.
CHUNK = 256
COMPARED = ("statement", "names", "context", "masked_text")


def unchanged(pool: Pool, before: Pool) -> Flags:
    """Which statements of a pool stood in an earlier one with all that a pair depends on, to the last bit."""
    rows = pool.rows.with_row_index("number")
    same = rows.join(before.rows, on="statement_id", suffix="_before").filter(
        pl.col(column).eq_missing(pl.col(f"{column}_before")) for column in COMPARED
    )
    alike = _same_bits(pool.vectors, same["text"], before.vectors, same["text_before"])
    flags = np.zeros(len(rows), dtype=np.bool_)
    flags[same["number"].to_numpy()[alike]] = True
    return flags


def remembered(result: pl.DataFrame, pool: Pool, is_unchanged: Flags, *, floor: float) -> pl.DataFrame:
    """The earlier rows among unchanged statements that reach the floor, with the numbers of the statements."""
    numbers = pool.rows.select("statement_id").with_row_index("number").filter(pl.Series(is_unchanged)).lazy()
    return (
        result.lazy()
        .filter(pl.col("similarity") >= pl.lit(floor, pl.Float32))
        .join(numbers.rename({"statement_id": "left_id", "number": "left"}), on="left_id")
        .join(numbers.rename({"statement_id": "right_id", "number": "right"}), on="right_id")
        .select("left", "right", "similarity", "verdict")
        .collect()
    )


def overlap(earlier_masks: pl.DataFrame, masks: pl.DataFrame) -> int:
    """How many kept statements were kept earlier with the same masked text and context: how good a start it is."""
    before, now = (table.filter(pl.col("verdict") == Verdict.KEPT) for table in (earlier_masks, masks))
    return now.join(before, on=["statement_id", "masked_text", "context"], how="semi").height


def _same_bits(ones: Vectors, one: pl.Series, others: Vectors, other: pl.Series) -> Flags:
    """Whether the vector `one` of one set and the vector `other` of another have the same bits."""
    if ones.shape[1:] != others.shape[1:]:
        return np.zeros(len(one), dtype=np.bool_)
    left, right = one.to_numpy(), other.to_numpy()
    same = np.empty(len(left), dtype=np.bool_)
    for start in range(0, len(left), CHUNK):
        part = slice(start, start + CHUNK)
        same[part] = (ones[left[part]].view(np.uint32) == others[right[part]].view(np.uint32)).all(axis=1)
    return same
