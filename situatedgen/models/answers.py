"""What every model's answer must be, whoever asks: as many as were asked, and vectors of unit length."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from situatedgen.errors import ModelError

# Of vectors in float32; a longer or shorter one would make a cosine of the product of two untrue.
LENGTH_TOLERANCE = 1e-4


def check_count(model: str, asked: int, answered: int) -> None:
    """Raise when a model did not answer every text once.

    Raises:
        ModelError: it gave more or fewer answers.
    """
    if answered != asked:
        raise ModelError(f"the {model} answered {answered} texts, expected {asked}")


def check_vectors(vectors: NDArray[np.float32], texts: Sequence[str]) -> None:
    """Raise when an encoder did not answer with one float32 vector of unit length a text.

    Raises:
        ModelError: another type or shape, or a vector of another length.
    """
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
