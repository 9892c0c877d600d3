"""Exact similarity search by blocks: all pairs of vectors whose cosine reaches a threshold."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_info, threadpool_limits

Vectors = NDArray[np.float32]
Indices = NDArray[np.int64]

GRID = np.float32(2.0**26)
UNIT_ROUNDOFF = 2.0**-24
# Pairs at a time, few enough for their vectors in float64 to stay in the CPU cache.
CHUNK = 128


def round_vectors(vectors: Vectors) -> Vectors:
    """The vectors with every number rounded to a multiple of 2⁻²⁶, which float32 represents exactly."""
    scaled = vectors * GRID
    np.rint(scaled, out=scaled)
    scaled /= GRID
    return scaled


def similarities(rows: Vectors, columns: Vectors, left: Indices, right: Indices) -> Vectors:
    """The cosine of each pair of rows `left` and `right` of two settled sets, at most 1."""
    found = np.empty(len(left), dtype=np.float32)
    for start in range(0, len(left), CHUNK):
        part = slice(start, start + CHUNK)
        found[part] = np.vecdot(rows[left[part]].astype(np.float64), columns[right[part]].astype(np.float64))
    return np.minimum(found, np.float32(1))


def product_error(width: int) -> float:
    """Largest error of a float32 dot product of two vectors of about unit length, in any order of summation.

    The bound for a sum of n rounded products is n·u / (1 - n·u) times the sum of their absolute values, which for unit
    vectors is at most 1; twice that allows for rounded lengths.
    """
    return 2 * width * UNIT_ROUNDOFF / (1 - width * UNIT_ROUNDOFF)


BLOCK = 1024


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """Pairs found by the search: a row number on the left, one on the right, and their similarity."""

    left: NDArray[np.int32]
    right: NDArray[np.int32]
    similarity: Vectors

    def __len__(self) -> int:
        """The number of pairs."""
        return len(self.left)


@dataclass(frozen=True, slots=True)
class Block:
    """A block of the similarity matrix, by its first row and column; of a diagonal block only the upper half counts."""

    row: int
    column: int
    is_diagonal: bool


def within(vectors: Vectors, *, floor: float, block: int = BLOCK) -> Hits:
    """Every pair of rows of one set whose cosine is at least the floor, each once, left < right."""
    ready = round_vectors(vectors)
    return _search_blocks(ready, ready, floor=floor, block=block, is_one_set=True)


def between(rows: Vectors, columns: Vectors, *, floor: float, block: int = BLOCK) -> Hits:
    """Every pair of a row of one set and a row of another whose cosine is at least the floor."""
    return _search_blocks(round_vectors(rows), round_vectors(columns), floor=floor, block=block, is_one_set=False)


def stripes(rows: Vectors, columns: Vectors | None, *, floor: float, block: int = BLOCK) -> Iterator[Hits]:
    """The hits of `between`, or of `within` without columns, one stripe of rows at a time to save memory."""
    ready = round_vectors(rows)
    others = ready if columns is None else round_vectors(columns)
    search = partial(_search_block, ready, others, floor=floor, block=block)
    for _, stripe in groupby(
        _blocks(len(ready), len(others), block, is_one_set=columns is None), lambda each: each.row
    ):
        yield concat_hits(_search_parallel(search, list(stripe)))


def concat_hits(parts: Iterable[Hits]) -> Hits:
    """The concatenation of several sets of hits."""
    lots = [*parts, NO_HITS]
    return Hits(
        np.concatenate([lot.left for lot in lots]),
        np.concatenate([lot.right for lot in lots]),
        np.concatenate([lot.similarity for lot in lots]),
    )


NO_HITS = Hits(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.float32))


def _search_blocks(rows: Vectors, columns: Vectors, *, floor: float, block: int, is_one_set: bool) -> Hits:
    """The hits of a matrix, block by block; for one set with itself, only the upper half."""
    blocks = _blocks(len(rows), len(columns), block, is_one_set=is_one_set)
    search = partial(_search_block, rows, columns, floor=floor, block=block)
    # Querying the libraries for their threads takes longer than searching one block.
    return concat_hits(_search_parallel(search, blocks) if len(blocks) > 1 else map(search, blocks))


def _blocks(rows: int, columns: int, side: int, *, is_one_set: bool) -> list[Block]:
    """The blocks of a matrix; for one set with itself, those on and above the diagonal."""
    return [
        Block(row, column, is_diagonal=is_one_set and row == column)
        for row in range(0, rows, side)
        for column in range(row if is_one_set else 0, columns, side)
    ]


def _search_parallel(search: "partial[Hits]", blocks: list[Block]) -> Iterator[Hits]:
    """The hits of each block, in order; searches as many blocks in parallel as BLAS has threads."""
    blas = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    with (
        threadpool_limits(limits=1, user_api="blas"),
        ThreadPoolExecutor(max(blas, default=1)) as pool,
    ):
        yield from pool.map(search, blocks)


def _search_block(rows: Vectors, columns: Vectors, part: Block, *, floor: float, block: int) -> Hits:
    top, side = rows[part.row : part.row + block], columns[part.column : part.column + block]
    product = top @ side.T
    near = np.flatnonzero(product >= np.float32(floor - product_error(rows.shape[1])))
    left, right = np.divmod(near, len(side))
    if part.is_diagonal:
        left, right = left[left < right], right[left < right]
    similarity = similarities(top, side, left, right)
    found = similarity >= np.float32(floor)
    return Hits(
        (left[found] + part.row).astype(np.int32),
        (right[found] + part.column).astype(np.int32),
        similarity[found],
    )


# A set of kinds is the sum of their bits; two sets share a kind if they share a bit.
GEO, TEMP = 1, 2
Kinds = NDArray[np.uint8]
Rows = NDArray[np.int64]


def within_kinds(vectors: Vectors, kinds: Kinds, *, floor: float, block: int = BLOCK) -> Hits:
    """Every pair of rows that share a kind and whose cosine is at least the floor, left < right.

    Compares all rows that name a place with one another, all that name only a time with one another, and the latter
    with those that name both.
    """
    places, times, both = _places(kinds), _times_only(kinds), _both(kinds)
    lots = (
        _renumber(within(vectors[places], floor=floor, block=block), places, places),
        _renumber(within(vectors[times], floor=floor, block=block), times, times),
        _renumber(between(vectors[times], vectors[both], floor=floor, block=block), times, both),
    )
    return upward(concat_hits(lots))


def between_kinds(vectors: Vectors, kinds: Kinds, other_kinds: Kinds, *, floor: float, block: int = BLOCK) -> Hits:
    """Every pair of different rows that share a kind and whose cosine is at least the floor.

    A row has its `kinds` on the left and its `other_kinds` on the right. Two rows that have kinds on both sides are
    found in both orders.
    """
    lots = [
        _renumber(between(vectors[left], vectors[right], floor=floor, block=block), left, right)
        for left, right in (
            (_places(kinds), _places(other_kinds)),
            (_times_only(kinds), np.flatnonzero(other_kinds & TEMP)),
            (_both(kinds), _times_only(other_kinds)),
        )
    ]
    found = concat_hits(lots)
    return _filter_hits(found, found.left != found.right)


def _places(kinds: Kinds) -> Rows:
    return np.flatnonzero(kinds & GEO)


def _times_only(kinds: Kinds) -> Rows:
    return np.flatnonzero(kinds == TEMP)


def _both(kinds: Kinds) -> Rows:
    return np.flatnonzero(kinds == GEO + TEMP)


def _renumber(hits: Hits, rows: Rows, columns: Rows) -> Hits:
    """Translate the row numbers of hits between two subsets into those of the whole set."""
    return Hits(rows[hits.left].astype(np.int32), columns[hits.right].astype(np.int32), hits.similarity)


def upward(hits: Hits) -> Hits:
    """The hits with the smaller number on the left."""
    return Hits(np.minimum(hits.left, hits.right), np.maximum(hits.left, hits.right), hits.similarity)


def _filter_hits(hits: Hits, flags: NDArray[np.bool_]) -> Hits:
    return Hits(hits.left[flags], hits.right[flags], hits.similarity[flags])


SIDE = 16_384
"""Texts per range. One tile takes one core a few seconds, enough to be worth a task run of its own."""


class Tile(NamedTuple):
    """Two ranges of texts, each given by the number of its first text."""

    row: int
    column: int


def tiles(texts: int, *, side: int = SIDE) -> list[Tile]:
    """The tiles that compare all texts with one another: those on and above the diagonal."""
    return [Tile(row, column) for row in range(0, texts, side) for column in range(row, texts, side)]


def search_tile(vectors: Vectors, kinds: Kinds, tile: Tile, *, floor: float, side: int = SIDE) -> Hits:
    """Every pair of a tile that shares a kind and whose cosine is at least the floor, left < right."""
    rows, columns = (_kinds_in_range(kinds, start, side) for start in tile)
    if tile.row == tile.column:
        return within_kinds(vectors, rows, floor=floor)
    return upward(between_kinds(vectors, rows, columns, floor=floor))


def in_range(texts: NDArray[np.int32], start: int, *, side: int = SIDE) -> NDArray[np.bool_]:
    """Whether each text number lies in the range that begins at `start`."""
    return (start <= texts) & (texts < start + side)


def _kinds_in_range(kinds: Kinds, start: int, side: int) -> Kinds:
    """The kinds of the texts in a range, and none for all other texts."""
    ranged = np.zeros_like(kinds)
    ranged[start : start + side] = kinds[start : start + side]
    return ranged
