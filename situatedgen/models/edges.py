"""The edges of a graph as pairs of node numbers that take 16 bytes each, however many there are."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

Ends = NDArray[np.int64]
# Edges at a time that become Python's numbers.
CHUNK = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class Edges(Sequence[tuple[int, int]]):
    """A sequence of edges over one array of two columns, which `np.asarray` gives without a copy."""

    ends: Ends

    def __len__(self) -> int:
        """How many edges there are."""
        return len(self.ends)

    @overload
    def __getitem__(self, place: int) -> tuple[int, int]: ...
    @overload
    def __getitem__(self, place: slice) -> "Edges": ...
    def __getitem__(self, place: int | slice) -> "tuple[int, int] | Edges":
        """An edge, or the edges of a slice."""
        if isinstance(place, slice):
            return Edges(self.ends[place])
        left, right = self.ends[place].tolist()
        return left, right

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """Each edge in turn."""
        for start in range(0, len(self.ends), CHUNK):
            part = self.ends[start : start + CHUNK]
            yield from zip(part[:, 0].tolist(), part[:, 1].tolist(), strict=True)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Ends:  # Any: numpy's protocol
        """The array itself."""
        return np.array(self.ends, dtype=dtype, copy=copy)


def ends_of(edges: Sequence[tuple[int, int]]) -> Ends:
    """Edges of any kind as an array of two columns."""
    return np.asarray(edges, dtype=np.int64).reshape(-1, 2)
