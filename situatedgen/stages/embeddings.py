"""The stage `embeddings`: a unit vector for every distinct masked text."""

import polars as pl

from situatedgen.models.batches import answer_rows
from situatedgen.models.roles import Encoder, RowModel
from situatedgen.params import EmbeddingParams
from situatedgen.vocabulary import Verdict


def embedding_questions(masks: pl.DataFrame) -> pl.DataFrame:
    """The distinct masked texts that need a vector."""
    return masks.filter(pl.col("verdict") == Verdict.KEPT).select(text="masked_text").unique().sort("text")


def embeddings(
    masks: pl.DataFrame,
    *,
    params: EmbeddingParams,  # noqa: ARG001
    encoder: Encoder | RowModel,
) -> pl.DataFrame:
    """Encode each distinct masked text of the kept statements as a unit vector."""
    return answer_rows("encoder", encoder, embedding_questions(masks)).rename({"text": "masked_text"})
