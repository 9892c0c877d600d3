"""Work that is begun beside a build before its turn, where what it will be given is certain already."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from situatedgen.models import registry
from situatedgen.models.edges import Edges, ends_of
from situatedgen.params import CommunityParams, ModelParams
from situatedgen.presets import Settings
from situatedgen.runtime import Runtime
from situatedgen.stages.communities import communities
from situatedgen.stages.screening import keeps_all
from storage import companions
from storage.artifacts import ArtifactRef
from storage.builds import whole
from storage.outcomes import Outcome
from storage.store import Store


def foretell(outcomes: Sequence[Outcome], settings: object, store: Store) -> None:
    """Begin what the latest artifacts of a build make certain: the communities of pairs that screening keeps all."""
    made = [outcome.ref for outcome in outcomes if outcome.ref.stage == "pairs" and not outcome.reused]
    if made and isinstance(settings, Settings) and keeps_all(settings.screening):
        companions.call_ahead(group, store, made, settings.communities)


def group(store: Store, pairs: Sequence[ArtifactRef], params: CommunityParams) -> None:
    """Find the communities of pairs, so that the detector's answer is known to this process."""
    communities(whole(store, pairs, "pairs"), params=params, detector=Remembering(params.detector))


@dataclass(frozen=True)
class Remembering:
    """A detector that knows its last answer."""

    params: ModelParams

    def detect(self, node_count: int, edges: Sequence[tuple[int, int]], *, seed: int) -> list[int]:
        """A label for each node."""
        return labels(self.params, node_count, ends_of(edges).tobytes(), seed)


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
