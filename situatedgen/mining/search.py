"""All pairs of vectors whose cosine reaches a floor: none missed, no limit per vector or in all.

The similarity matrix is computed tile by tile in float32 and never held whole. A tile is searched with a
margin that float32 rounding cannot exceed, and each hit is computed again, exactly. So the pairs and their
similarities depend neither on the size of the tiles nor on the threads.

Memory beyond the vectors: one settled copy of them (at 200,000 × 384, 307 MB); for each thread a tile of
float32 and one of booleans (BLOCK² × 5 bytes = 5 MiB) and, where all of a tile is near, 40 bytes a pair
(40 MiB); then 12 bytes a pair found, twice while the parts are joined.
"""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_info, threadpool_limits

from situatedgen.mining.similarity import Vectors, product_error, settled, similarities

BLOCK = 1024


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """Pairs that were found: a row number on the left, one on the right, their similarity."""

    left: NDArray[np.int32]
    right: NDArray[np.int32]
    similarity: Vectors

    def __len__(self) -> int:
        """How many pairs there are."""
        return len(self.left)


@dataclass(frozen=True, slots=True)
class Tile:
    """A block of the similarity matrix, by its first row and column; of one on the diagonal, the upper half."""

    row: int
    column: int
    is_diagonal: bool


def within(vectors: Vectors, *, floor: float, block: int = BLOCK) -> Hits:
    """Every pair of rows of one set whose cosine is at least the floor, each once, left < right."""
    starts = range(0, len(vectors), block)
    tiles = [Tile(row, column, row == column) for row in starts for column in starts if row <= column]
    ready = settled(vectors)
    return _search(ready, ready, tiles, floor=floor, block=block)


def between(rows: Vectors, columns: Vectors, *, floor: float, block: int = BLOCK) -> Hits:
    """Every pair of a row of one set with a row of another whose cosine is at least the floor."""
    tiles = [
        Tile(row, column, is_diagonal=False)
        for row in range(0, len(rows), block)
        for column in range(0, len(columns), block)
    ]
    return _search(settled(rows), settled(columns), tiles, floor=floor, block=block)


def joined(parts: Iterable[Hits]) -> Hits:
    """Several lots of hits as one."""
    lots = [*parts, NO_HITS]
    return Hits(
        np.concatenate([lot.left for lot in lots]),
        np.concatenate([lot.right for lot in lots]),
        np.concatenate([lot.similarity for lot in lots]),
    )


NO_HITS = Hits(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.float32))


def _search(rows: Vectors, columns: Vectors, tiles: list[Tile], *, floor: float, block: int) -> Hits:
    search = partial(_hits, rows, columns, floor=floor, block=block)
    return joined(_in_threads(search, tiles)) if tiles else NO_HITS


def _in_threads(search: "partial[Hits]", tiles: list[Tile]) -> Iterator[Hits]:
    """The hits of each tile, in order; as many tiles at once as BLAS would use threads for one."""
    blas = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    with (
        threadpool_limits(limits=1, user_api="blas"),
        ThreadPoolExecutor(max(blas, default=1)) as pool,
    ):
        yield from pool.map(search, tiles)


def _hits(rows: Vectors, columns: Vectors, tile: Tile, *, floor: float, block: int) -> Hits:
    top, side = rows[tile.row : tile.row + block], columns[tile.column : tile.column + block]
    product = top @ side.T
    near = np.flatnonzero(product >= np.float32(floor - product_error(rows.shape[1])))
    left, right = np.divmod(near, len(side))
    if tile.is_diagonal:
        left, right = left[left < right], right[left < right]
    similarity = similarities(top, side, left, right)
    found = similarity >= np.float32(floor)
    return Hits(
        (left[found] + tile.row).astype(np.int32),
        (right[found] + tile.column).astype(np.int32),
        similarity[found],
    )
