"""Accuracy of models on questions before and after a filtering, and the accuracy curve of its iterations."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from situatedgen.atomic import write
from situatedgen.filtering.adversarial import Iteration, audit_pool
from situatedgen.filtering.aflite import Round, predictability
from situatedgen.filtering.pool import Discriminator, Pool, Rows, questions, texts
from situatedgen.filtering.settings import FilterSettings
from situatedgen.models.roles import Encoder
from situatedgen.runtime import Runtime

if TYPE_CHECKING:
    from situatedgen.filtering.baselines import Accuracy

T = TypeVar("T")
LINEAR = "linear"


@dataclass(frozen=True)
class Auditor:
    """Measures accuracy with the committee, linear models on embeddings and baselines, and caches the results."""

    pool: Pool
    committee: Discriminator
    settings: FilterSettings
    splits: Mapping[str, str]
    folder: Path
    runtime: Runtime
    encoder: Callable[[], Encoder]

    def accuracies(self, assignment: Rows, items: Rows) -> dict[str, float]:
        """Accuracy of each committee member and, if baselines are enabled, of linear models on embeddings."""
        found = self._load_or_compute("accuracy", assignment, items, lambda: self._committee(assignment, items))
        if self.settings.baselines.models:
            found |= self._load_or_compute("linear", assignment, items, lambda: self._linear(assignment, items))
        return found

    def baselines(self, assignment: Rows, items: Rows) -> "tuple[Accuracy, ...]":
        """Accuracies of the baselines; empty if none are enabled."""
        if not self.settings.baselines.models:
            return ()
        # Loads PyTorch.
        from situatedgen.filtering.baselines import Accuracy  # noqa: PLC0415

        cached = self._load_or_compute("baselines", assignment, items, lambda: self._baselines(assignment, items))
        return tuple(Accuracy(**row) for row in cached["rows"])

    def _committee(self, assignment: Rows, items: Rows) -> dict[str, float]:
        settings = self.settings
        return audit_pool(
            self.pool, self.committee, assignment, settings.filter, items=items, times=settings.audits, purpose="audit"
        )

    def _linear(self, assignment: Rows, items: Rows) -> dict[str, float]:
        asked = questions(self.pool, assignment)[items]
        vectors = encode_texts(texts(self.pool, asked.ravel().tolist()), self.encoder()).reshape(*asked.shape, -1)
        groups = [self.pool.groups[item] for item in items.tolist()]
        return {LINEAR: predictability(groups, vectors, self.settings.aflite, purpose="audit")[1]}

    def _baselines(self, assignment: Rows, items: Rows) -> dict[str, list[dict[str, Any]]]:  # Any: JSON
        # Loads PyTorch.
        from situatedgen.filtering.baselines import Tools, measure_baselines, tabulate_questions  # noqa: PLC0415
        from situatedgen.models.weights import prepare  # noqa: PLC0415

        asked = tabulate_questions(self.pool, questions(self.pool, assignment), items, self.splits)
        tools = Tools(self.settings.baselines, prepare(self.runtime), self.encoder)
        return {"rows": [asdict(row) for row in measure_baselines(asked, tools)]}

    def _load_or_compute(
        self, name: str, assignment: Rows, items: Rows, found: Callable[[], dict[str, T]]
    ) -> dict[str, T]:
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
        content = f"{self.pool.digest} {asked[name]} {chance}"
        return hashlib.sha256(content.encode("utf-8") + assignment.tobytes() + items.tobytes()).hexdigest()[:16]


def encode_texts(passages: list[str], encoder: Encoder) -> NDArray[np.float32]:
    """Embedding of each passage; duplicates are encoded once."""
    distinct = sorted(set(passages))
    places = {passage: number for number, passage in enumerate(distinct)}
    return encoder.encode(distinct)[[places[passage] for passage in passages]]


JSON, PICTURE = "curve.json", "curve.png"
COLOURS = {"mlp": "#d55e00", "bag": "#009e73", "cnn": "#e69f00", "lstm": "#cc79a7"}
OTHER, CHANCE = "#0072b2", "#6b7680"


def describe_curve(
    history: Sequence[Iteration | Round],
    before: Mapping[str, float],
    after: Mapping[str, float],
    seconds: Mapping[str, float],
) -> bytes:
    """Accuracies, timings and steps of a filtering, as JSON."""
    whole = {
        "before": dict(before),
        "after": dict(after),
        "seconds": dict(seconds),
        "steps": [asdict(step) for step in history],
    }
    return (json.dumps(whole, indent=2) + "\n").encode("utf-8")


def series(history: Sequence[Iteration | Round]) -> dict[str, list[float]]:
    """Accuracies of each member by step; AFLite has one series, of its linear models."""
    if not history:
        return {}
    members = [step.members if isinstance(step, Iteration) else {"linear": step.accuracy} for step in history]
    return {name: [one[name] for one in members] for name in members[0]}


def draw_filtering_curve(history: Sequence[Iteration | Round], *, chance: float) -> bytes:
    """Plot the accuracy curve as PNG: one line per member, and chance."""
    # Imported here because it loads matplotlib, which nothing else in this module needs.
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415

    from situatedgen.dataset import plot_style  # noqa: PLC0415

    with plot_style.plot_style():
        figure, (panel,) = plot_style.subplots(7.2, 4.0)
        for name, accuracies in series(history).items():
            width = 2.4 if name not in COLOURS else 1.2
            places = range(len(accuracies))
            panel.plot(places, accuracies, "o-", color=COLOURS.get(name, OTHER), label=name, linewidth=width, ms=3)
        panel.axhline(chance, color=CHANCE, linestyle="--", linewidth=1, label="chance")
        panel.set_ylim(0, max(0.6, *(max(one) for one in series(history).values())))
        panel.set_title("Accuracy on held-out questions")
        panel.set_xlabel("iteration")
        panel.xaxis.set_major_locator(MaxNLocator(integer=True))
        panel.legend(ncols=3)
        return plot_style.png(figure)
