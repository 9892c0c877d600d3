"""Search among texts of two kinds: only those that share a kind are compared, and no pair twice."""

import numpy as np
from numpy.typing import NDArray

from situatedgen.mining.search import BLOCK, Hits, between, joined, within
from situatedgen.mining.similarity import Vectors

Flags = NDArray[np.bool_]
Rows = NDArray[np.int64]


def within_kinds(vectors: Vectors, geo: Flags, temp: Flags, *, floor: float, block: int = BLOCK) -> Hits:
    """Every pair of rows that are both `geo` or both `temp` and whose cosine is at least the floor, left < right.

    With places and times apart, this compares all that name a place with one another, all that name only a
    time with one another, and the latter with those that name both.
    """
    places, times, both = np.flatnonzero(geo), np.flatnonzero(temp & ~geo), np.flatnonzero(geo & temp)
    lots = (
        _numbered(within(vectors[places], floor=floor, block=block), places, places),
        _numbered(within(vectors[times], floor=floor, block=block), times, times),
        _numbered(between(vectors[times], vectors[both], floor=floor, block=block), times, both),
    )
    return joined(lots)


def _numbered(hits: Hits, rows: Rows, columns: Rows) -> Hits:
    """Hits between two parts, numbered as in the whole."""
    left, right = rows[hits.left], columns[hits.right]
    low, high = np.minimum(left, right), np.maximum(left, right)
    return Hits(low.astype(np.int32), high.astype(np.int32), hits.similarity)
