"""All pairs of vectors whose cosine reaches a floor: none missed, no limit per vector or in all.

The similarity matrix is computed tile by tile in float32 and never held whole. A tile is searched with a
margin that float32 rounding cannot exceed, and each hit is computed again, exactly. So the pairs and their
similarities depend neither on the size of the tiles, nor on the threads, nor on where a tile is searched.

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

from situatedgen import spreading
from situatedgen.mining.similarity import Vectors, product_error, settled, similarities

BLOCK = 1024
SPREAD = 4
"""Blocks on a side of the tiles that are given to others: much to compute for what is sent."""


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
    ready = settled(vectors)
    return _search(ready, ready, floor=floor, block=block, is_one_set=True)


def between(rows: Vectors, columns: Vectors, *, floor: float, block: int = BLOCK) -> Hits:
    """Every pair of a row of one set with a row of another whose cosine is at least the floor."""
    return _search(settled(rows), settled(columns), floor=floor, block=block, is_one_set=False)


def joined(parts: Iterable[Hits]) -> Hits:
    """Several lots of hits as one."""
    lots = [*parts, NO_HITS]
    return Hits(
        np.concatenate([lot.left for lot in lots]),
        np.concatenate([lot.right for lot in lots]),
        np.concatenate([lot.similarity for lot in lots]),
    )


NO_HITS = Hits(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.float32))


def _search(rows: Vectors, columns: Vectors, *, floor: float, block: int, is_one_set: bool) -> Hits:
    """The hits of a matrix: all of it here, or cut into tiles that others search, each in smaller ones."""
    side = SPREAD * block if spreading.current() else max(len(rows), len(columns), 1)
    tiles = _tiles(len(rows), len(columns), side, is_one_set=is_one_set)
    ones = {start: rows[start : start + side] for start in range(0, len(rows), side)}
    others = ones if is_one_set else {start: columns[start : start + side] for start in range(0, len(columns), side)}
    search = partial(_hits_within, floor=floor, block=block)
    found = spreading.spread(search, [(ones[tile.row], others[tile.column], tile.is_diagonal) for tile in tiles])
    return joined(_moved(hits, tile) for hits, tile in zip(found, tiles, strict=True))


def _tiles(rows: int, columns: int, side: int, *, is_one_set: bool) -> list[Tile]:
    """The tiles of a matrix; of one set with itself, those on the diagonal and above it."""
    return [
        Tile(row, column, is_diagonal=is_one_set and row == column)
        for row in range(0, rows, side)
        for column in range(row if is_one_set else 0, columns, side)
    ]


def _moved(hits: Hits, tile: Tile) -> Hits:
    """Hits within a tile, numbered as in the whole."""
    if not tile.row and not tile.column:
        return hits
    return Hits(hits.left + np.int32(tile.row), hits.right + np.int32(tile.column), hits.similarity)


def _hits_within(rows: Vectors, columns: Vectors, is_diagonal: bool, *, floor: float, block: int) -> Hits:
    """The hits of a part of the matrix; of one on the diagonal, those of its upper half."""
    tiles = _tiles(len(rows), len(columns), block, is_one_set=is_diagonal)
    search = partial(_hits, rows, columns, floor=floor, block=block)
    # To ask the libraries for their threads takes longer than one tile.
    return joined(_in_threads(search, tiles) if len(tiles) > 1 else map(search, tiles))


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
