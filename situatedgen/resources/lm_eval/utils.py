"""The data of this folder, and its scores out of 100, for the lm-evaluation-harness; needs `situatedgen` installed."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from situatedgen.evaluation.metrics import scores
from situatedgen.evaluation.predictions import Example
from situatedgen.models.lemmas import Lemmatiser

DATA = Path(__file__).resolve().parent.parent / "data"
SPLITS = ("train", "dev", "test")
METRICS = {"coverage": "COVERAGE", "match": "MATCH"}
LEMMATISER = Lemmatiser()


def dataset(**_: object) -> dict[str, Any]:  # Any: tables of `datasets`, which the harness uses
    """The non-empty splits of the dataset that contains this task, independent of the working folder."""
    from datasets import Dataset  # noqa: PLC0415

    found = {split: pl.read_parquet(DATA / f"{split}.parquet") for split in SPLITS}
    return {split: Dataset.from_polars(rows) for split, rows in found.items() if rows.height}


def process_results(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, float]:
    """COVERAGE and MATCH of a model's output for an example."""
    measured = scores([results[0].strip()], [_example(doc)], METRICS.values(), lemmatiser=LEMMATISER)
    return {name: measured[metric].value for name, metric in METRICS.items()}


def _example(doc: Mapping[str, Any]) -> Example:
    first, second = doc["statements"]
    return Example(doc["example_id"], tuple(doc["keywords"]), tuple(doc["keywords_pos"]), (first, second))
