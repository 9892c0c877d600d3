"""Community detection: Leiden by leidenalg or igraph, Louvain by igraph."""

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import Any, overload

import igraph
import leidenalg
import numpy as np
from numpy.typing import NDArray

from situatedgen.params import ModelParams
from situatedgen.runtime import Runtime
from situatedgen.seeds import generator

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


# igraph draws its random numbers from one generator for the whole process.
_RANDOMNESS = Lock()
UNTIL_STABLE = -1


@dataclass(frozen=True, slots=True)
class Louvain:
    """The paper's algorithm, by igraph."""

    params: ModelParams
    runtime: Runtime

    def detect(self, node_count: int, edges: Sequence[tuple[int, int]], *, seed: int) -> list[int]:
        """A label for each node; the same graph and seed give the same labels."""
        graph = igraph.Graph(node_count, ends_of(edges))
        with _drawing_from(generator(seed, "louvain")):
            return list(graph.community_multilevel().membership)


@dataclass(frozen=True, slots=True)
class Leiden:
    """Louvain's successor, whose communities are always connected, by leidenalg."""

    params: ModelParams
    runtime: Runtime

    def detect(self, node_count: int, edges: Sequence[tuple[int, int]], *, seed: int) -> list[int]:
        """A label for each node; the same graph and seed give the same labels."""
        if not node_count:
            return []
        partition = leidenalg.find_partition(
            igraph.Graph(node_count, ends_of(edges)),
            leidenalg.ModularityVertexPartition,
            n_iterations=UNTIL_STABLE,
            seed=generator(seed, "leiden").getrandbits(31),
        )
        return list(partition.membership)


@dataclass(frozen=True, slots=True)
class IgraphLeiden:
    """Leiden by igraph itself: much faster than leidenalg on large graphs."""

    params: ModelParams
    runtime: Runtime

    def detect(self, node_count: int, edges: Sequence[tuple[int, int]], *, seed: int) -> list[int]:
        """A label for each node; the same graph and seed give the same labels."""
        graph = igraph.Graph(node_count, ends_of(edges))
        with _drawing_from(generator(seed, "igraph-leiden")):
            return list(graph.community_leiden(objective_function="modularity", n_iterations=UNTIL_STABLE).membership)


@contextmanager
def _drawing_from(source: random.Random) -> Iterator[None]:
    """Give igraph a generator of our own for this block, then its usual one."""
    with _RANDOMNESS:
        igraph.set_random_number_generator(source)
        try:
            yield
        finally:
            igraph.set_random_number_generator(random)
