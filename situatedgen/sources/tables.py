"""The rows of CSV, TSV and Parquet files as records."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from situatedgen.errors import SourceError
from situatedgen.sources.records import Record, malformed
from situatedgen.sources.text import read_bytes, read_text
from situatedgen.vocabulary import Verdict

if TYPE_CHECKING:
    from _csv import Reader


def csv_rows(root: Path, file: str) -> Iterator[Record]:
    """Each row of a CSV file below its header, as an object; blank rows keep their place."""
    return _delimited(file, read_text(root, file), ",")


def tsv_rows(root: Path, file: str) -> Iterator[Record]:
    """Each row of a tab-separated file below its header, as an object; blank rows keep their place."""
    return _delimited(file, read_text(root, file), "\t")


def parquet_rows(root: Path, file: str) -> Iterator[Record]:
    """Each row of a Parquet file as an object; its line is its number.

    Raises:
        SourceError: the file is not Parquet.
    """
    data = read_bytes(root, file)
    try:
        table = pl.read_parquet(io.BytesIO(data))
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = str(error).partition("\n")[0]
        raise SourceError(f"{file}: expected a Parquet file, found none: {reason}") from error
    for index, row in enumerate(table.iter_rows(named=True)):
        yield Record(index, index + 1, row)


def _delimited(file: str, text: str, delimiter: str) -> Iterator[Record]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    header = _header(file, reader)
    for index, (line, cells) in enumerate(_numbered(reader)):
        if isinstance(cells, str):
            yield malformed(index, line, cells)
        elif not any(cell.strip() for cell in cells):
            yield Record(index, line, None, Verdict.BLANK)
        elif len(cells) != len(header):
            yield malformed(index, line, f"expected {len(header)} columns, found {len(cells)}")
        else:
            yield Record(index, line, dict(zip(header, cells, strict=True)))


def _header(file: str, reader: "Reader") -> list[str]:
    try:
        header = next(reader, [])
    except csv.Error as error:
        raise SourceError(f"{file}:1: expected a header, found an error: {error}") from error
    repeated = sorted({name for name in header if header.count(name) > 1})
    if repeated:
        raise SourceError(f"{file}:1: expected each column once, found {', '.join(repeated)} again")
    return header


def _numbered(reader: "Reader") -> Iterator[tuple[int, list[str] | str]]:
    """Each row with the line it begins on; a row that cannot be read is its reason."""
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield line, f"expected a row of cells, found an error: {error}"
        else:
            yield line, cells
