"""The tables of concept sets."""

from enum import StrEnum

import polars as pl

from situatedgen.schemas import SPLIT, TEXT, Schema


class Fate(StrEnum):
    """What becomes of a concept set that was drawn."""

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
