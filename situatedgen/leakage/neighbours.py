"""Exact nearest-neighbour search in blocks, without keeping the whole cosine matrix in memory."""

import numpy as np
from numpy.typing import NDArray

from situatedgen.mining.search import Vectors, round_vectors

Numbers = NDArray[np.int64]
Cosines = NDArray[np.float64]
ROWS, COLUMNS = 1024, 4096
"""Size of the matrix block kept in memory: 32 MiB."""
TILE_ROWS, TILE_COLUMNS = 256, 1024
"""Size of the block that is scanned twice, group by group, and should stay in the CPU cache: 2 MiB."""
NOTHING = -1.0


def nearest(rows: Vectors, columns: Vectors) -> tuple[Numbers, Vectors]:
    """Index of the nearest column for each row (the first of ties) and its cosine; -1 if there is none."""
    found, best = np.full(len(rows), -1, np.int64), np.full(len(rows), NOTHING)
    for start in range(0, len(rows), ROWS):
        part = slice(start, start + ROWS)
        for offset in range(0, len(columns), COLUMNS):
            _update_nearest(found[part], best[part], _product(rows[part], columns[offset : offset + COLUMNS]), offset)
    return found, _cosines(best)


def nearest_other(vectors: Vectors) -> Vectors:
    """Cosine of each vector with the nearest other vector; -1 if there is none."""
    best = np.full(len(vectors), NOTHING)
    for start in range(0, len(vectors), ROWS):
        for offset in range(0, len(vectors), COLUMNS):
            product = _product(vectors[start : start + ROWS], vectors[offset : offset + COLUMNS])
            own = np.arange(len(product)) + start - offset
            inside = (own >= 0) & (own < product.shape[1])
            product[np.flatnonzero(inside), own[inside]] = NOTHING
            np.maximum(best[start : start + ROWS], product.max(axis=1), out=best[start : start + ROWS])
    return _cosines(best)


def nearest_by_group(vectors: Vectors, groups: Numbers, count: int) -> Vectors:
    """Cosine of each vector with its nearest in each of `count` groups, itself included; -1 for an empty group.

    The matrix is symmetric, so each block above the diagonal is also used for its mirror image.
    """
    order = np.argsort(groups, kind="stable")
    ready, sorted_groups = round_vectors(vectors)[order].astype(np.float64), groups[order]
    best = np.full((len(ready), count), NOTHING)
    for start in range(0, len(ready), TILE_ROWS):
        for offset in range(start, len(ready), TILE_COLUMNS):
            rows, columns = slice(start, start + TILE_ROWS), slice(offset, offset + TILE_COLUMNS)
            product = ready[rows] @ ready[columns].T
            _update_groups(best[rows], product, sorted_groups[columns])
            _update_groups(best[columns], product.T, sorted_groups[rows])
    found = np.empty((len(ready), count), np.float32)
    found[order] = _cosines(best)
    return found


def _update_groups(best: Cosines, product: Cosines, groups: Numbers) -> None:
    """Update the maximum of each group with a block of the matrix."""
    present, first = np.unique(groups, return_index=True)
    best[:, present] = np.maximum(best[:, present], np.maximum.reduceat(product, first, axis=1))


def _product(rows: Vectors, columns: Vectors) -> Cosines:
    product: Cosines = round_vectors(rows).astype(np.float64) @ round_vectors(columns).astype(np.float64).T
    return product


def _update_nearest(found: Numbers, best: Cosines, product: Cosines, offset: int) -> None:
    """Update the nearest columns with another block of columns; on a tie, the earlier column stays."""
    places = product.argmax(axis=1)
    cosines = product[np.arange(len(product)), places]
    better = cosines > best
    found[better], best[better] = places[better] + offset, cosines[better]


def _cosines(product: Cosines) -> Vectors:
    return np.minimum(product, 1).astype(np.float32)
