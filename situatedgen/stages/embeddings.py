"""Where masked texts lie in the space of their meanings."""

import polars as pl

from situatedgen.models.answers import check_vectors
from situatedgen.models.roles import Encoder
from situatedgen.params import EmbeddingParams
from situatedgen.vocabulary import Verdict


def embedding_questions(masks: pl.DataFrame) -> pl.DataFrame:
    """The distinct masked texts that need a vector."""
    return masks.filter(pl.col("verdict") == Verdict.KEPT).select(text="masked_text").unique().sort("text")


def embeddings(masks: pl.DataFrame, *, params: EmbeddingParams, encoder: Encoder) -> pl.DataFrame:  # noqa: ARG001
    """Give every distinct masked text of the kept statements a vector of unit length."""
    texts = embedding_questions(masks)["text"]
    vectors = encoder.encode(texts.to_list())
    check_vectors(vectors, texts.to_list())
    width = pl.Array(pl.Float32, vectors.shape[1])
    return pl.DataFrame({"masked_text": texts, "vector": pl.Series(vectors, dtype=width)})
