"""Vectors like those of masked texts: in clusters of uneven size, with duplicates, made from a seed."""

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
WIDTH = 384


def clustered(count: int, *, scale: float = 3.0) -> Vectors:
    """Unit vectors in clusters of uneven size (90 in the cluster of the mean vector), one in twenty a duplicate.

    `scale` is the logarithm of the size of the middle cluster; by one more, clusters are 2.7 times as large.
    """
    chance = np.random.default_rng(count)
    sizes = np.maximum(1, chance.lognormal(scale, 1, count).astype(int))
    member_of = np.repeat(np.arange(len(sizes)), sizes)[:count]
    centres = _unit(chance.standard_normal((member_of[-1] + 1, WIDTH), dtype=np.float32))
    spread = chance.uniform(0.2, 0.7, (count, 1)).astype(np.float32)
    spread[chance.random(count) < 0.05] = 0
    vectors = _unit(chance.standard_normal((count, WIDTH), dtype=np.float32))
    vectors *= spread
    vectors += centres[member_of]
    return _unit(vectors)[chance.permutation(count)]


def _unit(vectors: Vectors) -> Vectors:
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors
