"""The dataset as a sequence-to-sequence model is trained on it."""

import json
from pathlib import Path

import polars as pl

from situatedgen.atomic import write
from situatedgen.variants.keyword2text import rows
from situatedgen.vocabulary import Split

WRITTEN = ("example_id", "source", "target")


def export(examples: pl.DataFrame, out: Path) -> dict[Split, int]:
    """Write OUT/{train,dev,test}.jsonl, train in both orders; how many rows each has."""
    out.mkdir(parents=True, exist_ok=True)
    table = rows({"examples": examples})
    counts = {}
    for split in Split:
        part = table.filter(pl.col("split") == split.value).select(WRITTEN)
        lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in part.iter_rows(named=True)]
        write(out / f"{split.value}.jsonl", "".join(lines).encode("utf-8"))
        counts[split] = part.height
    return counts
