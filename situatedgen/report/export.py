"""The dataset as a sequence-to-sequence model is trained on it."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import polars as pl

from situatedgen.vocabulary import Split

KEYWORD_SEPARATOR = ", "


@dataclass(frozen=True, slots=True)
class TrainingRow:
    """What a model reads, and what it should write."""

    example_id: str
    source: str
    target: str


def training_rows(examples: pl.DataFrame, *, both_orders: bool = True) -> Iterator[TrainingRow]:
    """Two rows an example, one for each order of its statements, for either is right; or the first alone."""
    columns = examples.select("example_id", "keywords", "statements")
    for example_id, keywords, statements in columns.iter_rows():
        source = KEYWORD_SEPARATOR.join(keywords)
        yield TrainingRow(example_id, source, " ".join(statements))
        if both_orders:
            yield TrainingRow(example_id, source, " ".join(reversed(statements)))


def export(examples: pl.DataFrame, out: Path) -> dict[Split, int]:
    """Write OUT/{train,dev,test}.jsonl, train in both orders; how many rows each has."""
    out.mkdir(parents=True, exist_ok=True)
    counts = {}
    for split in Split:
        part = examples.filter(pl.col("split") == split.value).sort("example_id")
        rows = list(training_rows(part, both_orders=split is Split.TRAIN))
        lines = [json.dumps(asdict(row), ensure_ascii=False) + "\n" for row in rows]
        (out / f"{split.value}.jsonl").write_text("".join(lines), encoding="utf-8")
        counts[split] = len(rows)
    return counts
