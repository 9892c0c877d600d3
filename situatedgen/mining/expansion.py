"""From pairs of texts to pairs of the statements that have them."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from situatedgen.mining.search import Hits

PAIR_COLUMNS = {"left": pl.UInt32(), "right": pl.UInt32(), "similarity": pl.Float32()}


def expanded(hits: Hits, texts: pl.Series) -> pl.DataFrame:
    """Every pair of statements whose texts are a hit or the same, left < right, sorted, with the similarity.

    `texts` holds the number of each statement's text. The memory it takes is proportional to the pairs that
    come back, about 40 bytes each, however often a text repeats.
    """
    members = pl.DataFrame({"text": texts.cast(pl.Int32), "statement": np.arange(len(texts), dtype=np.uint32)})
    return pl.concat([_across(hits, members), _alike(members)]).sort("left", "right")


def _across(hits: Hits, members: pl.DataFrame) -> pl.DataFrame:
    """The pairs of statements with two texts that are a hit."""
    pairs = pl.LazyFrame({"one": hits.left, "other": hits.right, "similarity": hits.similarity})
    ones, others = (members.lazy().rename({"text": side, "statement": f"of_{side}"}) for side in ("one", "other"))
    return (
        pairs.join(ones, on="one")
        .join(others, on="other")
        .select(
            pl.min_horizontal("of_one", "of_other").alias("left"),
            pl.max_horizontal("of_one", "of_other").alias("right"),
            "similarity",
        )
        .collect()
    )


def _alike(members: pl.DataFrame) -> pl.DataFrame:
    """The pairs of statements with the same text: each with those that come after it among the same."""
    ordered = members.sort("text", "statement")
    statements, later = ordered["statement"].to_numpy(), _later(ordered["text"])
    positions = np.arange(len(ordered))
    left = np.repeat(positions, later)
    right = left + 1 + _counted(later)
    columns = (statements[left], statements[right], np.ones(len(left), dtype=np.float32))
    return pl.DataFrame(dict(zip(PAIR_COLUMNS, columns, strict=True)), schema=PAIR_COLUMNS)


def _later(texts: pl.Series) -> NDArray[np.int64]:
    """How many equal values come after each, in a sorted series."""
    values = texts.to_numpy()
    return np.searchsorted(values, values, side="right") - np.arange(1, len(values) + 1)


def _counted(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """0, 1, 2 … for each length in turn, as one array."""
    starts = np.cumsum(lengths) - lengths
    return np.arange(lengths.sum()) - np.repeat(starts, lengths)
