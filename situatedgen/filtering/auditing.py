"""What models make of questions as they are, before and after a filtering; what was measured once is found again."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from situatedgen.atomic import write
from situatedgen.filtering.aflite import predictability
from situatedgen.filtering.assigning import questions
from situatedgen.filtering.discriminator import Discriminator
from situatedgen.filtering.loop import audited
from situatedgen.filtering.pool import Pool, Rows, texts
from situatedgen.filtering.settings import FilterSettings
from situatedgen.models.roles import Encoder
from situatedgen.runtime import Runtime

if TYPE_CHECKING:
    from situatedgen.filtering.baselines.measuring import Accuracy

T = TypeVar("T")
LINEAR = "linear"


@dataclass(frozen=True)
class Auditor:
    """Who asks: the committee of a pool, linear models on embeddings, and baselines; and where it is remembered."""

    pool: Pool
    committee: Discriminator
    settings: FilterSettings
    splits: Mapping[str, str]
    folder: Path
    runtime: Runtime
    encoder: Callable[[], Encoder]

    def accuracies(self, assignment: Rows, items: Rows) -> dict[str, float]:
        """The accuracy of each member of the committee; with baselines, of linear models on embeddings too."""
        found = self._remembered("accuracy", assignment, items, lambda: self._committee(assignment, items))
        if self.settings.baselines.models:
            found |= self._remembered("linear", assignment, items, lambda: self._linear(assignment, items))
        return found

    def baselines(self, assignment: Rows, items: Rows) -> "tuple[Accuracy, ...]":
        """The table of the baselines; empty where none is asked."""
        if not self.settings.baselines.models:
            return ()
        # Loads PyTorch.
        from situatedgen.filtering.baselines.measuring import Accuracy  # noqa: PLC0415

        told = self._remembered("baselines", assignment, items, lambda: self._baselines(assignment, items))
        return tuple(Accuracy(**row) for row in told["rows"])

    def _committee(self, assignment: Rows, items: Rows) -> dict[str, float]:
        settings = self.settings
        return audited(
            self.pool, self.committee, assignment, settings.filter, items=items, times=settings.audits, purpose="audit"
        )

    def _linear(self, assignment: Rows, items: Rows) -> dict[str, float]:
        asked = questions(self.pool, assignment)[items]
        vectors = encoded(texts(self.pool, asked.ravel().tolist()), self.encoder()).reshape(*asked.shape, -1)
        groups = [self.pool.groups[item] for item in items.tolist()]
        return {LINEAR: predictability(groups, vectors, self.settings.aflite, purpose="audit")[1]}

    def _baselines(self, assignment: Rows, items: Rows) -> dict[str, list[dict[str, Any]]]:  # Any: JSON
        # Loads PyTorch.
        from situatedgen.filtering.baselines.measuring import measured  # noqa: PLC0415
        from situatedgen.filtering.baselines.models import Tools  # noqa: PLC0415
        from situatedgen.filtering.baselines.sights import situated  # noqa: PLC0415
        from situatedgen.models.weights import prepare  # noqa: PLC0415

        asked = situated(self.pool, questions(self.pool, assignment), items, self.splits)
        tools = Tools(self.settings.baselines, prepare(self.runtime), self.encoder)
        return {"rows": [asdict(row) for row in measured(asked, tools)]}

    def _remembered(self, name: str, assignment: Rows, items: Rows, found: Callable[[], dict[str, T]]) -> dict[str, T]:
        path = self.folder / f"{name}-{self._key(name, assignment, items)}.json"
        if path.is_file():
            known: dict[str, T] = json.loads(path.read_text(encoding="utf-8"))
            return known
        made = found()
        write(path, json.dumps(made).encode("utf-8"))
        return made

    def _key(self, name: str, assignment: Rows, items: Rows) -> str:
        settings = self.settings
        asked = {
            "accuracy": f"{self.committee.identity} {settings.audits}",
            "linear": settings.aflite.model_dump_json(),
            "baselines": settings.baselines.model_dump_json(),
        }
        chance = settings.filter.model_dump_json(include={"seed", "train_share"})
        told = f"{self.pool.digest} {asked[name]} {chance}"
        return hashlib.sha256(told.encode("utf-8") + assignment.tobytes() + items.tobytes()).hexdigest()[:16]


def encoded(passages: list[str], encoder: Encoder) -> NDArray[np.float32]:
    """The vector of each passage; a passage that stands twice is encoded once."""
    distinct = sorted(set(passages))
    places = {passage: number for number, passage in enumerate(distinct)}
    return encoder.encode(distinct)[[places[passage] for passage in passages]]
