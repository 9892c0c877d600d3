"""The detectors for communities in a graph: Leiden by leidenalg or igraph, Louvain by igraph."""

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock

import igraph
import leidenalg

from situatedgen.params import ModelParams
from situatedgen.runtime import Runtime
from situatedgen.seeds import generator

# igraph has one random number generator per process.
_RANDOMNESS = Lock()
UNTIL_STABLE = -1


@dataclass(frozen=True, slots=True)
class Louvain:
    """The algorithm of the paper, as implemented by igraph."""

    params: ModelParams
    runtime: Runtime

    def detect(self, node_count: int, edges: Sequence[tuple[int, int]], *, seed: int) -> list[int]:
        """A community label for each node; the same graph and seed give the same labels."""
        graph = igraph.Graph(node_count, edges)
        with _igraph_random(generator(seed, "louvain")):
            return list(graph.community_multilevel().membership)


@dataclass(frozen=True, slots=True)
class Leiden:
    """The successor of Louvain, whose communities are always connected, as implemented by leidenalg."""

    params: ModelParams
    runtime: Runtime

    def detect(self, node_count: int, edges: Sequence[tuple[int, int]], *, seed: int) -> list[int]:
        """A community label for each node; the same graph and seed give the same labels."""
        if not node_count:
            return []
        partition = leidenalg.find_partition(
            igraph.Graph(node_count, edges),
            leidenalg.ModularityVertexPartition,
            n_iterations=UNTIL_STABLE,
            seed=generator(seed, "leiden").getrandbits(31),
        )
        return list(partition.membership)


@dataclass(frozen=True, slots=True)
class IgraphLeiden:
    """Leiden as implemented by igraph, much faster than leidenalg on large graphs."""

    params: ModelParams
    runtime: Runtime

    def detect(self, node_count: int, edges: Sequence[tuple[int, int]], *, seed: int) -> list[int]:
        """A community label for each node; the same graph and seed give the same labels."""
        graph = igraph.Graph(node_count, edges)
        with _igraph_random(generator(seed, "igraph-leiden")):
            return list(graph.community_leiden(objective_function="modularity", n_iterations=UNTIL_STABLE).membership)


@contextmanager
def _igraph_random(source: random.Random) -> Iterator[None]:
    """Make igraph use the given generator within this block, then its default again."""
    with _RANDOMNESS:
        igraph.set_random_number_generator(source)
        try:
            yield
        finally:
            igraph.set_random_number_generator(random)
