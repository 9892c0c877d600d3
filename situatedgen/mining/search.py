"""All pairs of vectors whose cosine reaches a floor: none missed, no limit per vector or in all.

The similarity matrix is computed block by block in float32 and never held whole. A block is searched with a
margin that float32 rounding cannot exceed, and each hit is computed again, exactly. So the pairs and their
similarities depend neither on the size of the blocks, nor on the threads, nor on where a block is searched.

Memory beyond the vectors: one settled copy of them (at 200,000 × 384, 307 MB); for each thread a block of
float32 and one of booleans (BLOCK² × 5 bytes = 5 MiB) and, where all of a block is near, 40 bytes a pair
(40 MiB); then 12 bytes a pair found, twice while the parts are joined.
"""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import groupby

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
class Block:
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


def stripes(rows: Vectors, columns: Vectors | None, *, floor: float, block: int = BLOCK) -> Iterator[Hits]:
    """The hits of `between`, or of `within` where there are no columns, by blocks of rows: few are held at once."""
    ready = settled(rows)
    others = ready if columns is None else settled(columns)
    search = partial(_hits, ready, others, floor=floor, block=block)
    for _, stripe in groupby(
        _blocks(len(ready), len(others), block, is_one_set=columns is None), lambda each: each.row
    ):
        yield joined(_in_threads(search, list(stripe)))


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
    """The hits of a matrix, block by block; of one set with itself, those of its upper half."""
    blocks = _blocks(len(rows), len(columns), block, is_one_set=is_one_set)
    search = partial(_hits, rows, columns, floor=floor, block=block)
    # To ask the libraries for their threads takes longer than one block.
    return joined(_in_threads(search, blocks) if len(blocks) > 1 else map(search, blocks))


def _blocks(rows: int, columns: int, side: int, *, is_one_set: bool) -> list[Block]:
    """The blocks of a matrix; of one set with itself, those on the diagonal and above it."""
    return [
        Block(row, column, is_diagonal=is_one_set and row == column)
        for row in range(0, rows, side)
        for column in range(row if is_one_set else 0, columns, side)
    ]


def _in_threads(search: "partial[Hits]", blocks: list[Block]) -> Iterator[Hits]:
    """The hits of each block, in order; as many blocks at once as BLAS would use threads for one."""
    blas = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    with (
        threadpool_limits(limits=1, user_api="blas"),
        ThreadPoolExecutor(max(blas, default=1)) as pool,
    ):
        yield from pool.map(search, blocks)


def _hits(rows: Vectors, columns: Vectors, part: Block, *, floor: float, block: int) -> Hits:
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
