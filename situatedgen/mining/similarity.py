"""The similarity of two vectors, the same to the last bit wherever and in whatever company it is computed.

A library's dot product adds in another order for another shape, thread count or processor, and each order
rounds differently. So vectors are first rounded to multiples of 2⁻²⁶, which moves a cosine by less than
float32 can tell. Their products are then multiples of 2⁻⁵², and every partial sum of them stays below 2:
float64 holds it exactly, nothing is rounded, and every order gives the same sum.
"""

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
Indices = NDArray[np.int64]

GRID = np.float32(2.0**26)
UNIT_ROUNDOFF = 2.0**-24
# Pairs at a time: so few that their vectors, in float64, stay in the cache.
CHUNK = 128


def settled(vectors: Vectors) -> Vectors:
    """The vectors with every number rounded to a multiple of 2⁻²⁶, which float32 holds exactly."""
    scaled = vectors * GRID
    np.rint(scaled, out=scaled)
    scaled /= GRID
    return scaled


def similarities(rows: Vectors, columns: Vectors, left: Indices, right: Indices) -> Vectors:
    """The cosine of each row `left` of one settled set with the row `right` of another, never above 1."""
    found = np.empty(len(left), dtype=np.float32)
    for start in range(0, len(left), CHUNK):
        part = slice(start, start + CHUNK)
        found[part] = np.vecdot(rows[left[part]].astype(np.float64), columns[right[part]].astype(np.float64))
    return np.minimum(found, np.float32(1))


def product_error(width: int) -> float:
    """How far a float32 product of two vectors of about unit length can be off, however its sums are ordered.

    The bound for a sum of n rounded products is n·u / (1 - n·u) times the sum of their sizes, which for
    unit vectors is at most 1; twice that leaves room for lengths that are themselves rounded.
    """
    return 2 * width * UNIT_ROUNDOFF / (1 - width * UNIT_ROUNDOFF)
