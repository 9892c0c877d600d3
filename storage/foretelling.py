"""Work that is begun beside a build before its turn, where what it will be given is certain already."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import polars as pl

from situatedgen.models import registry
from situatedgen.models.edges import Edges, ends_of
from situatedgen.params import CommunityParams, ModelParams
from situatedgen.presets import Settings
from situatedgen.runtime import Runtime
from situatedgen.stages.communities import graph
from situatedgen.stages.screening import keeps_all
from storage import companions

_certain: list[CommunityParams] = []
"""How the communities of pairs will be found, where screening keeps all of them."""


@contextmanager
def foretelling(settings: object) -> Iterator[None]:
    """Let what is made within this block foretell what settings make certain."""
    if isinstance(settings, Settings) and keeps_all(settings.screening):
        _certain.append(settings.communities)
    try:
        yield
    finally:
        _certain.clear()


def foretell(stage: str, table: pl.DataFrame) -> None:
    """Begin what a table makes certain that was just made: the communities of pairs that screening keeps all."""
    if stage == "pairs" and companions.is_ready():
        for params in _certain:
            nodes, edges = graph(table)
            companions.call_ahead(labels, params.detector, len(nodes), ends_of(edges).tobytes(), params.seed)


@dataclass(frozen=True)
class Beside:
    """A detector that is asked beside this process, where the question may have been foretold."""

    params: ModelParams

    def detect(self, node_count: int, edges: Sequence[tuple[int, int]], *, seed: int) -> list[int]:
        """A label for each node."""
        return companions.call(labels, self.params, node_count, ends_of(edges).tobytes(), seed)


@lru_cache(maxsize=1)
def labels(params: ModelParams, node_count: int, ends: bytes, seed: int) -> list[int]:
    """What a detector says of a graph; how it is run plays no part in that."""
    edges = Edges(np.frombuffer(ends, np.int64).reshape(-1, 2))
    found: list[int] = registry.load("detector", params, Runtime()).detect(node_count, edges, seed=seed)
    return found
