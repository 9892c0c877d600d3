"""Which jobs an order means, stage by stage."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from situatedgen.commongen.params import ConceptSettings
from situatedgen.params import Params
from situatedgen.pipeline import PIPELINE, Stage
from situatedgen.presets import Settings
from situatedgen.sources.params import ItemParams
from situatedgen.sources.registry import source_digests
from storage.artifacts import ArtifactRef
from storage.jobs import Job, key_parts


@dataclass(frozen=True)
class Order:
    """What is to be built: settings, the folder of the sources, and whether a bad record stops the build.

    The splits follow those of an earlier dataset where there is a `precedent`; what people judged invalid by the
    `decisions` is out. The settings name the params of every stage of the pipeline.
    """

    settings: Settings | ConceptSettings
    sources: Path
    strict: bool = False
    precedent: ArtifactRef | None = None
    decisions: ArtifactRef | None = None
    pipeline: tuple[Stage, ...] = PIPELINE

    @property
    def given(self) -> tuple[ArtifactRef, ...]:
        """The artifacts that no stage makes."""
        return tuple(ref for ref in (self.precedent, self.decisions) if ref)


def stage_jobs(each: Stage, order: Order, chosen: Sequence[ItemParams], refs: Sequence[ArtifactRef]) -> list[Job]:
    """The jobs of a stage: one, or one a source; `refs` are the artifacts that are there already."""
    if not each.inputs:
        return [items_job(each, order, params) for params in chosen]
    params: Params = getattr(order.settings, each.name)
    names = [items.source.name for items in chosen] if each.per_source else [""]
    there = [*refs, *order.given]
    return [stage_job(each, params, there, source=name) for name in names]


def items_job(each: Stage, order: Order, params: ItemParams) -> Job:
    """The job that reads one source; its key holds the content of the source's files, not their folder."""
    parts = key_parts(each, params, {}, source_digests(params.source, order.sources))
    root = str(order.sources.resolve())
    return Job(
        stage=each.name,
        source=params.source.name,
        parts=parts,
        params=params.model_dump(mode="json", exclude_unset=True),
        root=root,
    )


def stage_job(each: Stage, params: Params, refs: Sequence[ArtifactRef], *, source: str) -> Job:
    """The job that makes a stage's table from the tables before it, of one source or of all."""
    inputs = {
        name: tuple(ref for ref in refs if ref.stage == name and source in ("", ref.source)) for name in each.inputs
    }
    return Job(
        stage=each.name,
        source=source,
        parts=key_parts(each, params, inputs, {}),
        params=params.model_dump(mode="json"),
        inputs=inputs,
    )
