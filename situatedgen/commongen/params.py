"""Settings and table schemas of a concept-set dataset; the defaults are those of CommonGen, section 3."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path, PurePath
from typing import Annotated

import polars as pl
from pydantic import Field, ValidationError

from situatedgen.errors import SettingsError
from situatedgen.params import ModelParams, Params
from situatedgen.rules.licences import Group
from situatedgen.schemas import SPLIT, TEXT, Schema
from situatedgen.sources.params import SourceParams
from situatedgen.vocabulary import ItemKind

SIZES = (3, 4, 5)
ENDINGS = (".txt", ".jsonl", ".parquet")
LINE = "text"
"""Column name for a line of plain text."""

Counts = Annotated[tuple[int, int, int], Field(description="Number of sets of three, four and five concepts.")]


class ConceptParams(Params):
    """Which words of a caption are concepts."""

    lemmatiser: ModelParams = ModelParams(name="spacy")
    vocabulary: ModelParams = ModelParams(name="any")
    max_concepts: int = Field(
        15,
        ge=3,
        description="Captions with more concepts than this are treated as having none.",
    )


class ConceptCountParams(Params):
    """Which concepts are combined."""

    min_captions: int = Field(1, ge=1, description="Minimum number of captions of a concept.")


class ConceptSetParams(Params):
    """How many concept sets are sampled by score."""

    samples: int = Field(100_000, ge=1, description="Number of concept sets to sample.")
    min_sentences: int = Field(1, ge=1, description="Minimum number of sentences of a sampled set.")
    seed: int = Field(0, ge=0, description="Seed of the sample.")


class ConceptSplitParams(Params):
    """How sampled concept sets are assigned to splits; dev and test get the best."""

    dev: Counts = (500, 250, 250)
    test: Counts = (0, 750, 750)
    max_share: float = Field(
        0.5, ge=0, le=1, description="Maximum share of the sets of a size in dev and test together."
    )
    max_overlap: int = Field(
        2, ge=0, description="Maximum number of concepts that a set of train shares with a set of dev or test."
    )
    seed: int = Field(0, ge=0, description="Seed of the assignment to dev and test.")


class ConceptExampleParams(Params):
    """Which captions become the sentences of a concept set."""

    max_scenes: int = Field(10, ge=1, description="Maximum number of sentences per set.")
    seed: int = Field(0, ge=0, description="Seed of the choice of sentences.")


def caption_sources(folder: Path, patterns: Sequence[str] | None, column: str) -> list[dict[str, object]]:
    """Source settings for the captions of a folder, one per file type; plain text has one caption per line.

    Raises:
        SettingsError: no file of the folder has a known type.
    """
    given = patterns or [f"**/*{ending}" for ending in ENDINGS]
    found: dict[str, list[str]] = {PurePath(pattern).suffix: [] for pattern in given}
    for pattern in given:
        if any(folder.glob(pattern)):
            found[PurePath(pattern).suffix].append(pattern)
    if not any(found.values()):
        raise SettingsError(f"no file in {folder} matches {', '.join(given)}; specify the caption files with --files")
    return [_source(ending, fitting, column) for ending, fitting in found.items() if fitting]


def _source(ending: str, patterns: list[str], column: str) -> dict[str, object]:
    statement = LINE if ending == ".txt" else column
    name = f"captions-{ending.removeprefix('.') or 'files'}"
    return {"name": name, "files": patterns, "kind": ItemKind.CLAIM.value, "statement": statement}


class ConceptSettings(Params):
    """Everything that determines a concept-set dataset."""

    sources: tuple[SourceParams, ...] = Field(min_length=1, description="The captions: their files and columns.")
    exclude_sources: tuple[str, ...] = Field((), description="Names of sources to exclude.")
    licences: Group = Field("any", description="Exclude captions whose licence is not in this group.")
    concepts: ConceptParams = ConceptParams()
    concept_counts: ConceptCountParams = ConceptCountParams()
    concept_sets: ConceptSetParams = ConceptSetParams()
    concept_splits: ConceptSplitParams = ConceptSplitParams()
    concept_examples: ConceptExampleParams = ConceptExampleParams()

    @property
    def supplements(self) -> tuple[str, ...]:
        """Always empty: captions have no supplements."""
        return ()


def concept_settings(values: object) -> ConceptSettings:
    """Validate settings.

    Raises:
        SettingsError: a name is unknown, or a value is invalid.
    """
    try:
        return ConceptSettings.model_validate(values)
    except ValidationError as error:
        problems = error.errors(include_url=False)
        words = (f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in problems)
        raise SettingsError("; ".join(words)) from error


class Fate(StrEnum):
    """Whether a sampled concept set was kept, or why not."""

    KEPT = "kept"
    OVERLAPS_EVALUATION = "overlaps_evaluation"
    NO_CAPTION_LEFT = "no_caption_left"


FATE = pl.Enum([fate.value for fate in Fate])


CONCEPTS = Schema({"text": TEXT, "concepts": pl.List(pl.String)}, key=("text",))
CONCEPT_COUNTS = Schema(
    {"concept": TEXT, "sentences": pl.UInt32(), "sets_3": pl.UInt64(), "sets_4": pl.UInt64(), "sets_5": pl.UInt64()},
    key=("concept",),
)
CONCEPT_SETS = Schema(
    {
        "concept_set": TEXT,
        "size": pl.UInt8(),
        "sentences": pl.UInt32(),
        "diversity": pl.Float64(),
        "penalty": pl.Float64(),
        "score": pl.Float64(),
    },
    key=("concept_set",),
)
CONCEPT_SPLITS = Schema(
    {
        "concept_set": TEXT,
        "size": pl.UInt8(),
        "score": pl.Float64(),
        "split": SPLIT,
        "verdict": FATE,
    },
    key=("concept_set",),
)
CONCEPT_EXAMPLES = Schema(
    {"concept_set": TEXT, "split": SPLIT, "scene": pl.List(pl.String), "verdict": FATE}, key=("concept_set",)
)
