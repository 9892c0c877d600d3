"""Reads examples that anybody released: a file in the authors' format, JSON lines or Parquet."""

from pathlib import Path

import polars as pl

from situatedgen.errors import SettingsError

FIELDS = {
    "ids": pl.List(pl.String),
    "statements": pl.List(pl.String),
    "keywords": pl.List(pl.String),
    "keywords_pos": pl.List(pl.Int64),
}
UNREADABLE = (OSError, pl.exceptions.PolarsError)


def read_examples(path: Path) -> pl.DataFrame:
    """The examples of a file; `context` where it has it.

    Raises:
        SettingsError: the file cannot be read, or lacks a field, or an example has not two statements.
    """
    try:
        rows = pl.read_parquet(path) if path.suffix == ".parquet" else pl.read_ndjson(path)
        missing = [name for name in FIELDS if name not in rows.columns]
        if missing:
            raise SettingsError(f"{path} holds no examples: it has no {', '.join(missing)}")
        known = rows.select(pl.col(name).cast(kind) for name, kind in FIELDS.items())
    except UNREADABLE as error:
        raise SettingsError(f"{path} cannot be read as examples: {error}") from error
    _check(known, path)
    return known.with_columns(rows["context"].cast(pl.String)) if "context" in rows.columns else known


def _check(rows: pl.DataFrame, path: Path) -> None:
    two = rows.select(pl.all_horizontal(pl.col(name).list.len() == 2 for name in ("ids", "statements")))
    even = rows.select(pl.col("keywords").list.len() == pl.col("keywords_pos").list.len())
    whole = (two.to_series() & even.to_series()).fill_null(value=False)
    if not whole.all():
        raise SettingsError(
            f"{path}, example {(whole.arg_min() or 0) + 1}: expected two ids, two statements,"
            " and as many keywords_pos as keywords"
        )
