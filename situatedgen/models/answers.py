"""What every model's answer must be, whoever asks: as many as were asked, probabilities, vectors of unit length."""

from collections.abc import Sequence
from dataclasses import astuple

import numpy as np
from numpy.typing import NDArray

from situatedgen.errors import ModelError
from situatedgen.records import Judgement

# Of vectors in float32; a longer or shorter one would make a cosine of the product of two untrue.
LENGTH_TOLERANCE = 1e-4


def check_count(model: str, asked: int, answered: int) -> None:
    """Raise when a model did not answer every text once.

    Raises:
        ModelError: it gave more or fewer answers.
    """
    if answered != asked:
        raise ModelError(f"the {model} answered {answered} texts, expected {asked}")


def check_probabilities(answers: Sequence[Judgement]) -> None:
    """Raise when a judge did not answer with probabilities.

    Raises:
        ModelError: a value lies outside 0 to 1, or is not a number.
    """
    wrong = next((each for each in answers if not all(0 <= value <= 1 for value in astuple(each))), None)
    if wrong is not None:
        raise ModelError(f"the judge answered {wrong}, expected probabilities between 0 and 1")


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
