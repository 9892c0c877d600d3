"""The facts that card, datasheet and metadata of a dataset are written from, with the licence of each source."""

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
    """A source, its licence and citation, and how many of its statements stand in the dataset."""

    source: str
    licence: str
    citation: str
    statements: int


def origins(items: pl.DataFrame, examples: pl.DataFrame) -> tuple[Origin, ...]:
    """Every source, by name and licence."""
    used = examples["ids"].explode(empty_as_null=False).unique()
    counted = items.group_by("source", "licence", "citation").agg(pl.col("item_id").is_in(used.implode()).sum())
    return tuple(Origin(*row) for row in counted.sort("source", "licence", "citation").iter_rows())


def hub_licences(found: tuple[Origin, ...]) -> tuple[str, ...]:
    """The licences of the statements in the dataset, by the names that dataset hubs know, sorted."""
    return tuple(sorted({hub_licence(origin.licence) for origin in found if origin.statements}))


def origin_rows(found: tuple[Origin, ...]) -> Rows:
    """A row a source."""
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
    """What was counted, where the sentences come from, what is released in which files, and how it was built."""

    statistics: Statistics
    origins: tuple[Origin, ...]
    released: tuple[Published, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)
    manifest: Mapping[str, object] = field(default_factory=dict)

    @property
    def pairs(self) -> int:
        """The examples of all splits."""
        return sum(counts.pairs for counts in self.statistics.splits)

    @property
    def used(self) -> tuple[Origin, ...]:
        """The origins of the statements in the dataset."""
        return tuple(origin for origin in self.origins if origin.statements)

    @property
    def version(self) -> str:
        """The version of the program that built the dataset."""
        versions = self.manifest.get("versions")
        return str(versions.get("situatedgen", "")) if isinstance(versions, Mapping) else ""

    @property
    def record(self) -> Mapping[str, object]:
        """A row that shows what the dataset is like: drawn at random from the first split that has any."""
        parts = self.released[0].parts.values() if self.released else ()
        rows = next((part for part in parts if part.height), None)
        return {} if rows is None else rows.row(seeds.generator(0, "record").randrange(rows.height), named=True)
