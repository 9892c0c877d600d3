"""Search among texts of two kinds: only those that share a kind are compared, and no pair twice."""

import numpy as np
from numpy.typing import NDArray

from situatedgen.mining.search import BLOCK, Hits, between, joined, within
from situatedgen.mining.similarity import Vectors

# A set of kinds is the sum of their bits; two share a kind when a bit is in both.
GEO, TEMP = 1, 2
Kinds = NDArray[np.uint8]
Rows = NDArray[np.int64]


def within_kinds(vectors: Vectors, kinds: Kinds, *, floor: float, block: int = BLOCK) -> Hits:
    """Every pair of rows that share a kind and whose cosine is at least the floor, left < right.

    With places and times apart, this compares all that name a place with one another, all that name only a
    time with one another, and the latter with those that name both.
    """
    places, times, both = _places(kinds), _times_only(kinds), _both(kinds)
    lots = (
        _numbered(within(vectors[places], floor=floor, block=block), places, places),
        _numbered(within(vectors[times], floor=floor, block=block), times, times),
        _numbered(between(vectors[times], vectors[both], floor=floor, block=block), times, both),
    )
    return upward(joined(lots))


def between_kinds(vectors: Vectors, kinds: Kinds, other_kinds: Kinds, *, floor: float, block: int = BLOCK) -> Hits:
    """Every row with every other row that share a kind and whose cosine is at least the floor.

    A row has its `kinds` when it stands on the left and its `other_kinds` when it stands on the right; one
    with kinds on both sides is not compared with itself, but two such are found in both orders.
    """
    lots = [
        _numbered(between(vectors[left], vectors[right], floor=floor, block=block), left, right)
        for left, right in (
            (_places(kinds), _places(other_kinds)),
            (_times_only(kinds), np.flatnonzero(other_kinds & TEMP)),
            (_both(kinds), _times_only(other_kinds)),
        )
    ]
    found = joined(lots)
    return _where(found, found.left != found.right)


def _places(kinds: Kinds) -> Rows:
    return np.flatnonzero(kinds & GEO)


def _times_only(kinds: Kinds) -> Rows:
    return np.flatnonzero(kinds == TEMP)


def _both(kinds: Kinds) -> Rows:
    return np.flatnonzero(kinds == GEO + TEMP)


def _numbered(hits: Hits, rows: Rows, columns: Rows) -> Hits:
    """Hits between two parts, numbered as in the whole."""
    return Hits(rows[hits.left].astype(np.int32), columns[hits.right].astype(np.int32), hits.similarity)


def upward(hits: Hits) -> Hits:
    """The hits with the smaller number on the left."""
    return Hits(np.minimum(hits.left, hits.right), np.maximum(hits.left, hits.right), hits.similarity)


def _where(hits: Hits, flags: NDArray[np.bool_]) -> Hits:
    return Hits(hits.left[flags], hits.right[flags], hits.similarity[flags])
