"""Reads examples that anybody released, in the authors' format, and the certificates of our own datasets."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from situatedgen.errors import SettingsError
from situatedgen.leakage.certificate import Comparison
from situatedgen.report import statistics
from situatedgen.vocabulary import Split

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
        raise SettingsError(f"{path} cannot be read as examples, which are JSON lines or Parquet: {error}") from error
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


def read_placed(held_back: Sequence[Path], train: Sequence[Path]) -> pl.DataFrame:
    """Examples of files and dataset folders with their split: `train` is train, a file named dev is dev, others test.

    Raises:
        SettingsError: a file cannot be read, or holds no examples.
    """
    placed = [(path, Split.TRAIN) for path in _files(train, (Split.TRAIN,))]
    placed += [(path, _named(path)) for path in _files(held_back, (Split.DEV, Split.TEST))]
    parts = [read_examples(path).with_columns(split=pl.lit(split.value)) for path, split in placed]
    return pl.concat(parts, how="diagonal")


def read_known(out: Path) -> Comparison:
    """The certificate that a dataset folder holds.

    Raises:
        SettingsError: the folder is no dataset, or holds no certificate.
    """
    try:
        found = statistics.read(out / "stats.json").certificate
    except (OSError, ValueError) as error:
        raise SettingsError(f"{out} is no dataset folder: its stats.json cannot be read: {error}") from error
    if found is None:
        raise SettingsError(f"{out} holds no leakage certificate; build it again")
    return found


def _files(paths: Sequence[Path], splits: tuple[Split, ...]) -> list[Path]:
    """The files of paths; of a dataset folder those of some splits."""
    return [
        file
        for path in paths
        for file in ([path / "data" / f"{split.value}.parquet" for split in splits] if path.is_dir() else [path])
    ]


def _named(path: Path) -> Split:
    return Split.DEV if path.stem.lower().startswith(("dev", "val")) else Split.TEST
