"""All that the card, the datasheet and the metadata of a dataset are written from: every number comes from here."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from situatedgen import seeds
from situatedgen.report.data import Published
from situatedgen.report.licences import Origin
from situatedgen.report.statistics import Statistics

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
