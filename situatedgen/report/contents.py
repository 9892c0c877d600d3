"""Every file of a dataset folder but its manifest, as bytes: the same tables give the same bytes."""

import json
from collections.abc import Iterator, Mapping
from io import BytesIO

import polars as pl

from situatedgen.report.card import card
from situatedgen.report.easel import drawing
from situatedgen.report.harness import harness
from situatedgen.report.licences import origins
from situatedgen.report.measuring import measured
from situatedgen.report.statistics import to_json
from situatedgen.vocabulary import Split

DECIMALS = 6
FIELDS: dict[str, pl.DataType] = {
    "keywords": pl.List(pl.String),
    "statement": pl.String(),
    "ids": pl.List(pl.String),
    "keywords_pos": pl.List(pl.Int64),
    "statements": pl.List(pl.String),
    "example_id": pl.String(),
    "context": pl.String(),
    "similarity": pl.Float64(),
}


def contents(tables: Mapping[str, pl.DataFrame], manifest: Mapping[str, object]) -> dict[str, bytes]:
    """The files of a dataset by their path in its folder."""
    statistics = measured(tables)
    pictures = drawing(statistics)
    examples = tables["examples"]
    parts = {split: published(examples, split) for split in Split}
    record = next((row for part in parts.values() for row in _shown(part).iter_rows(named=True)), {})
    text = card(statistics, origins(tables["items"], examples), record, manifest)
    return {
        "README.md": text.encode("utf-8"),
        "stats.json": to_json(statistics).encode("utf-8"),
        **dict(_data(parts)),
        **{f"figures/{name}": picture for name, picture in pictures().items()},
        **harness(),
    }


def published(examples: pl.DataFrame, split: Split) -> pl.DataFrame:
    """The rows of a split as they are released: the authors' fields first, plain types, by example id."""
    rows = examples.filter(pl.col("split") == split.value).sort("example_id")
    return rows.select(pl.col(name).cast(dtype) for name, dtype in FIELDS.items()).with_columns(
        pl.col("similarity").round(DECIMALS)
    )


def _shown(rows: pl.DataFrame) -> pl.DataFrame:
    """The one row that shows best what the dataset is: the most alike pair, the shortest of equals."""
    length = pl.col("statement").str.len_chars()
    return rows.sort(-pl.col("similarity"), length, "example_id").head(1)


def _data(parts: Mapping[Split, pl.DataFrame]) -> Iterator[tuple[str, bytes]]:
    for split, rows in parts.items():
        lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows.iter_rows(named=True)]
        yield f"data/{split.value}.jsonl", "".join(lines).encode("utf-8")
        parquet = BytesIO()
        rows.write_parquet(parquet)
        yield f"data/{split.value}.parquet", parquet.getvalue()
