"""Where masked texts lie in the space of their meanings."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from situatedgen.errors import ModelError
from situatedgen.models.roles import Encoder
from situatedgen.params import EmbeddingParams
from situatedgen.vocabulary import Verdict

# Of vectors in float32; a longer or shorter one would make a cosine of the product of two untrue.
LENGTH_TOLERANCE = 1e-4


def embeddings(masks: pl.DataFrame, *, params: EmbeddingParams, encoder: Encoder) -> pl.DataFrame:  # noqa: ARG001
    """Give every distinct masked text of the kept statements a vector of unit length."""
    texts = masks.filter(pl.col("verdict") == Verdict.KEPT)["masked_text"].unique().sort()
    vectors = _checked(encoder.encode(texts.to_list()), texts)
    return pl.DataFrame({"masked_text": texts, "vector": pl.Series(vectors, dtype=_type(vectors))})


def _type(vectors: NDArray[np.float32]) -> pl.Array:
    return pl.Array(pl.Float32, vectors.shape[1])


def _checked(vectors: NDArray[np.float32], texts: pl.Series) -> NDArray[np.float32]:
    if vectors.dtype != np.float32 or vectors.ndim != 2 or len(vectors) != len(texts):
        raise ModelError(
            f"the encoder answered {vectors.dtype} of shape {vectors.shape},"
            f" expected float32 and a row for each of {len(texts)} texts"
        )
    lengths = np.linalg.norm(vectors, axis=1)
    wrong = np.flatnonzero(~(np.abs(lengths - 1) <= LENGTH_TOLERANCE))
    if len(wrong):
        first = int(wrong[0])
        raise ModelError(f"the encoder's vector for {texts[first]!r} has length {lengths[first]}, expected 1")
    return vectors
