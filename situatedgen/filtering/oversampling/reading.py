"""A corpus as it is given: rows of context, noun phrase and ending, or sentences that are split later."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from situatedgen.errors import SourceError

COLUMNS = ("context", "noun_phrase", "ending")
READERS: dict[str, Callable[[Path], pl.DataFrame]] = {
    ".parquet": pl.read_parquet,
    ".jsonl": pl.read_ndjson,
    ".csv": pl.read_csv,
}
KINDS = ", ".join((".txt", *READERS))


@dataclass(frozen=True, slots=True)
class Given:
    """A text of a corpus; `at` tells where noun phrase and ending begin, when the corpus tells it.

    Of texts of one group none is in another fold than the others.
    """

    given_id: str
    group: str
    text: str
    at: tuple[int, int] | None = None


def read_corpus(path: Path, *, column: str) -> tuple[Given, ...]:
    """The texts of a file: a line each, or a row each, with the columns of a row or with sentences in one column.

    A cell may hold a list of sentences that do not follow one another, as in CommonGen's `scene`.

    Raises:
        SourceError: the file cannot be read, or has none of these columns, or no text.
    """
    if path.suffix not in (".txt", *READERS):
        raise SourceError(f"{path}: cannot tell what it is; expected a file that ends in one of: {KINDS}")
    if not path.is_file():
        raise SourceError(f"expected a corpus at {path}, found no file")
    try:
        table = _lines(path, column) if path.suffix == ".txt" else READERS[path.suffix](path)
    except (OSError, UnicodeDecodeError, pl.exceptions.PolarsError) as error:
        raise SourceError(f"{path} cannot be read: {error}") from error
    given = tuple(_rows(table) if set(COLUMNS) <= set(table.columns) else _sentences(table, column, path))
    if not given:
        raise SourceError(f"{path} holds no text; expected {' and '.join(COLUMNS)}, or sentences in {column!r}")
    return given


def _lines(path: Path, column: str) -> pl.DataFrame:
    return pl.DataFrame({column: path.read_text(encoding="utf-8").splitlines()}, schema={column: pl.String})


def _rows(table: pl.DataFrame) -> Iterator[Given]:
    width = len(str(table.height))
    for number, row in enumerate(table.iter_rows(named=True)):
        context, noun_phrase, ending = (" ".join(str(row[name] or "").split()) for name in COLUMNS)
        own = str(row.get("row_id") or row.get("id") or f"{number:0{width}d}")
        if noun_phrase and ending:
            before = f"{context} " if context else ""
            at = len(before), len(before) + len(noun_phrase) + 1
            yield Given(own, str(row.get("group") or own), f"{before}{noun_phrase} {ending}", at)


def _sentences(table: pl.DataFrame, column: str, path: Path) -> Iterator[Given]:
    if column not in table.columns:
        found = ", ".join(table.columns)
        raise SourceError(
            f"{path}: expected columns {', '.join(COLUMNS)}, or sentences in {column!r}; found {found};"
            " name the column of the sentences with --column"
        )
    texts = table.select(pl.col(column)).with_row_index("row")
    exploded = texts.explode(column) if isinstance(texts.schema[column], pl.List) else texts
    width, seen = len(str(exploded.height)), dict[int, int]()
    for row, text in exploded.iter_rows():
        seen[row] = number = seen.get(row, -1) + 1
        if tidy := " ".join(str(text or "").split()):
            yield Given(f"{row:0{width}d}-{number}", f"{row:0{width}d}", tidy)
