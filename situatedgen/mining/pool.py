"""The pool of statements that may be paired, with everything that a pair depends on."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from situatedgen.errors import SchemaError
from situatedgen.mining.search import GEO, TEMP, Vectors
from situatedgen.rules.keywords import situating_labels
from situatedgen.rules.pairs import KINDS, PairSide, pair_side
from situatedgen.vocabulary import Context, Verdict

BITS = {Context.GEO: GEO, Context.TEMP: TEMP}


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """The statements that may be paired, sorted by id, and the vectors of the masked texts.

    Columns: statement_id, statement, names (its places and times), context, masked_text, and `text`, the row number of
    its vector.
    """

    rows: pl.DataFrame
    vectors: Vectors

    @property
    def members(self) -> pl.DataFrame:
        """The number of each statement, the number of its text, and its kinds as a bit set."""
        bits = {context: kind_bits(context) for context in Context}
        return self.rows.with_row_index("number").select(
            "number",
            pl.col("text").cast(pl.Int32),
            pl.col("context").replace_strict(bits, return_dtype=pl.UInt8).alias("kinds"),
        )

    def sides(self, numbers: NDArray[np.uint32]) -> list[PairSide]:
        """The inputs of the pair rules for the statements of these numbers, in the same order."""
        rows = self.rows.select("statement", "names", "context")[numbers]
        return [pair_side(text, named or (), Context(context)) for text, named, context in rows.iter_rows()]


def kind_bits(context: Context) -> int:
    """The kinds of a context as a bit set: two contexts share a kind if they share a bit."""
    return sum(BITS[kind] for kind in KINDS[context])


def pool(statements: pl.DataFrame, entities: pl.DataFrame, masks: pl.DataFrame, embeddings: pl.DataFrame) -> Pool:
    """Build the pool from the four tables.

    Raises:
        SchemaError: a masked text has no vector.
    """
    rows = (
        _number_masks(masks, embeddings)
        .join(statements.select("statement_id", pl.col("text").alias("statement")), on="statement_id", how="left")
        .join(_group_names(entities), on="statement_id", how="left")
        .sort("statement_id")
    )
    return Pool(rows, embeddings["vector"].to_numpy())


def _number_masks(masks: pl.DataFrame, embeddings: pl.DataFrame) -> pl.DataFrame:
    texts = embeddings.select("masked_text").with_row_index("text")
    masked = masks.filter(pl.col("verdict") == Verdict.KEPT).join(texts, on="masked_text", how="left")
    if masked["text"].null_count():
        missing = masked.filter(pl.col("text").is_null())["masked_text"].min()
        raise SchemaError(f"embeddings: the masked text {missing!r} has no vector")
    return masked.select("statement_id", "context", "masked_text", "text")


def _group_names(entities: pl.DataFrame) -> pl.DataFrame:
    situating = entities.filter(pl.col("label").is_in(situating_labels()))
    return situating.group_by("statement_id").agg(pl.col("text").unique().sort().alias("names"))
