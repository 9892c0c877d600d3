"""From pairs of texts to pairs of the statements that have them and share a kind.

`members` is a table of statements: the `number` of each, that of its `text`, its `kinds` as bits.
The memory it takes is proportional to the pairs that come back, about 40 bytes each, however often a text
repeats.
"""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from situatedgen.mining.search import Hits

PAIR_COLUMNS = {"left": pl.UInt32(), "right": pl.UInt32(), "similarity": pl.Float32()}
SHARE_A_KIND = (pl.col("kinds") & pl.col("kinds_right")) != 0
UPWARD = (
    pl.min_horizontal("number", "number_right").alias("left"),
    pl.max_horizontal("number", "number_right").alias("right"),
    pl.col("similarity"),
)


def expanded(hits: Hits, members: pl.DataFrame) -> pl.DataFrame:
    """Every pair of members whose texts are a hit or the same, left < right, with the similarity.

    A hit stands in one order only.
    """
    return pl.concat([_across(hits, members, members), _alike(members)])


def expanded_between(hits: Hits, members: pl.DataFrame, others: pl.DataFrame) -> pl.DataFrame:
    """Every pair of a member and one of the others, whose texts are a hit or the same, left < right.

    The left of a hit is the text of a member, the right that of one of the others.
    """
    texts = np.intersect1d(members["text"], others["text"]).astype(np.int32)
    same = Hits(texts, texts, np.ones(len(texts), dtype=np.float32))
    return pl.concat([_across(hits, members, others), _across(same, members, others)])


def _across(hits: Hits, members: pl.DataFrame, others: pl.DataFrame) -> pl.DataFrame:
    """The pairs of a member with the left text of a hit and another with its right text."""
    pairs = pl.LazyFrame({"text": hits.left, "text_right": hits.right, "similarity": hits.similarity})
    return (
        pairs.join(members.lazy(), on="text")
        .join(others.lazy(), left_on="text_right", right_on="text", suffix="_right")
        .filter(SHARE_A_KIND)
        .select(*UPWARD)
        .collect()
    )


def _alike(members: pl.DataFrame) -> pl.DataFrame:
    """The pairs of members with the same text: each with those that come after it among the same."""
    ordered = members.sort("text", "number")
    numbers, kinds = ordered["number"].to_numpy(), ordered["kinds"].to_numpy()
    later = _later(ordered["text"])
    left = np.repeat(np.arange(len(ordered)), later)
    right = left + 1 + _counted(later)
    share = (kinds[left] & kinds[right]) != 0
    left, right = left[share], right[share]
    columns = (numbers[left], numbers[right], np.ones(len(left), dtype=np.float32))
    return pl.DataFrame(dict(zip(PAIR_COLUMNS, columns, strict=True)), schema=PAIR_COLUMNS)


def _later(texts: pl.Series) -> NDArray[np.int64]:
    """How many equal values come after each, in a sorted series."""
    values = texts.to_numpy()
    return np.searchsorted(values, values, side="right") - np.arange(1, len(values) + 1)


def _counted(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """0, 1, 2 … for each length in turn, as one array."""
    starts = np.cumsum(lengths) - lengths
    return np.arange(lengths.sum()) - np.repeat(starts, lengths)
