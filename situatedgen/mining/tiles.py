"""A search cut into tiles that workers can share: each compares one range of texts with itself or with a later one."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from situatedgen.mining.kinds import Kinds, between_kinds, upward, within_kinds
from situatedgen.mining.search import Hits
from situatedgen.mining.similarity import Vectors

SIDE = 16_384
"""Texts in a range. One tile takes a few seconds of one core: enough to be worth a task run of its own."""


class Tile(NamedTuple):
    """Two ranges of texts, by the number of their first text."""

    row: int
    column: int


def tiles(texts: int, *, side: int = SIDE) -> list[Tile]:
    """The tiles that compare all texts with one another: those on the diagonal and above it."""
    return [Tile(row, column) for row in range(0, texts, side) for column in range(row, texts, side)]


def search_tile(vectors: Vectors, kinds: Kinds, tile: Tile, *, floor: float, side: int = SIDE) -> Hits:
    """Every pair of a tile that shares a kind and whose cosine is at least the floor, left < right."""
    rows, columns = (_within(kinds, start, side) for start in tile)
    if tile.row == tile.column:
        return within_kinds(vectors, rows, floor=floor)
    return upward(between_kinds(vectors, rows, columns, floor=floor))


def in_range(texts: NDArray[np.int32], start: int, *, side: int = SIDE) -> NDArray[np.bool_]:
    """Whether each text, by its number, is in the range that starts so."""
    return (start <= texts) & (texts < start + side)


def _within(kinds: Kinds, start: int, side: int) -> Kinds:
    """The kinds of the texts of a range; those of all others are none."""
    ranged = np.zeros_like(kinds)
    ranged[start : start + side] = kinds[start : start + side]
    return ranged
