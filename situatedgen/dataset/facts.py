"""Facts from which the card, datasheet and metadata of a dataset are generated, including source licences."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from situatedgen import seeds
from situatedgen.dataset.files import Published
from situatedgen.dataset.statistics import Statistics
from situatedgen.formatting import Rows
from situatedgen.rules.licences import hub_licence


@dataclass(frozen=True, slots=True)
class Origin:
    """A source, its licence and citation, and the number of its statements in the dataset."""

    source: str
    licence: str
    citation: str
    statements: int


def origins(items: pl.DataFrame, examples: pl.DataFrame) -> tuple[Origin, ...]:
    """All sources, sorted by name, licence and citation."""
    used = examples["ids"].explode(empty_as_null=False).unique()
    counted = items.group_by("source", "licence", "citation").agg(pl.col("item_id").is_in(used.implode()).sum())
    return tuple(Origin(*row) for row in counted.sort("source", "licence", "citation").iter_rows())


def hub_licences(found: tuple[Origin, ...]) -> tuple[str, ...]:
    """The licences of the dataset's statements, by the names used on dataset hubs, sorted."""
    return tuple(sorted({hub_licence(origin.licence) for origin in found if origin.statements}))


def origin_rows(found: tuple[Origin, ...]) -> Rows:
    """One row per source."""
    rows = tuple((each.source, f"{each.statements:,}", each.licence, each.citation) for each in found)
    header = ("source", "statements used", "licence", "citation")
    return Rows("Sources", header, rows, frozenset({0, 2, 3}))


NAME = "SituatedGen"
TITLE = "SituatedGen dataset"
SUMMARY = (
    "Keywords go in; two contrastive English sentences come out, each bound to a place or a time, so that swapping the"
    " places or times between the two would break common sense."
)
PAPER = (
    "Zhang and Wan (2023): SituatedGen: Incorporating Geographical and Temporal Contexts into Generative Commonsense"
    " Reasoning. NeurIPS Datasets and Benchmarks."
)
TAGS = ("commonsense", "contrastive", "geography", "time")


@dataclass(frozen=True)
class Facts:
    """Statistics, origins, published configurations, data files and build manifest of a dataset."""

    statistics: Statistics
    origins: tuple[Origin, ...]
    released: tuple[Published, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)
    manifest: Mapping[str, object] = field(default_factory=dict)

    @property
    def pairs(self) -> int:
        """Number of examples in all splits."""
        return sum(counts.pairs for counts in self.statistics.splits)

    @property
    def used(self) -> tuple[Origin, ...]:
        """The origins that contribute statements to the dataset."""
        return tuple(origin for origin in self.origins if origin.statements)

    @property
    def version(self) -> str:
        """The situatedgen version that built the dataset."""
        versions = self.manifest.get("versions")
        return str(versions.get("situatedgen", "")) if isinstance(versions, Mapping) else ""

    @property
    def record(self) -> Mapping[str, object]:
        """A sample row, drawn at random from the first non-empty split; empty if there is none."""
        parts = self.released[0].parts.values() if self.released else ()
        rows = next((part for part in parts if part.height), None)
        return {} if rows is None else rows.row(seeds.generator(0, "record").randrange(rows.height), named=True)
