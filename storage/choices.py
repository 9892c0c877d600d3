"""Questions with one right text among several, as files, to be ranked by people."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from situatedgen.errors import SettingsError
from situatedgen.review.ballots.ballots import FEWEST, MOST, candidates
from situatedgen.review.ballots.items import Item
from situatedgen.review.decisions import plain
from situatedgen.vocabulary import Split

CONFIGURATIONS = ("choice", "endings")
IDS = ("example_id", "item_id", "row_id")
TEXTS = ("choices", "endings")
LABEL = "label"
UNSPLIT = "questions.parquet"


@dataclass(frozen=True)
class Choices:
    """A table of questions, with the names of its columns of ids and texts, and its rows as items."""

    table: pl.DataFrame
    id_column: str
    text_column: str
    items: tuple[Item, ...]


def read_choices(folder: Path, split: str) -> Choices | None:
    """The questions of a split in a folder: `choice/SPLIT.parquet`, as `situatedgen filter` writes it, or SPLIT.jsonl.

    Each has an id, a list of texts (`choices` or `endings`), the place of the right one (`label`), and either
    `keywords` or a `context`, to which a `noun_phrase` may belong. `questions.parquet`, as `situatedgen oversample`
    writes it, has no splits and is train. None where the split has no file.

    Raises:
        SettingsError: a file is no table of questions.
    """
    places = [*(folder / name for name in CONFIGURATIONS), folder]
    files = [place / f"{split}{ending}" for place in places for ending in (".parquet", ".jsonl")]
    files += [folder / UNSPLIT] if split == Split.TRAIN else []
    path = next((file for file in files if file.is_file()), None)
    if path is None:
        return None
    try:
        table = pl.read_parquet(path) if path.suffix == ".parquet" else pl.read_ndjson(path)
        id_column, text_column = _column(table, IDS), _column(table, TEXTS)
        items = tuple(_item(row, id_column, text_column, split) for row in table.iter_rows(named=True))
    except (pl.exceptions.PolarsError, OSError, ValueError, TypeError) as error:
        raise SettingsError(f"{path} is no table of questions: {error}") from error
    return Choices(table, id_column, text_column, items)


def _column(table: pl.DataFrame, names: Sequence[str]) -> str:
    found = [name for name in names if name in table.columns]
    if not found or LABEL not in table.columns:
        raise ValueError(f"it has the columns {', '.join(table.columns)}; expected {LABEL} and {' or '.join(names)}")
    return found[0]


def _item(row: dict[str, Any], id_column: str, text_column: str, split: str) -> Item:  # Any: values of several types
    item_id, texts, label = str(row[id_column]), tuple(row[text_column]), int(row[LABEL])
    if not FEWEST <= len({plain(text) for text in texts}) == len(texts) <= MOST:
        raise ValueError(f"{item_id!r} has {len(texts)} texts; expected {FEWEST} to {MOST} different ones")
    if not 0 <= label < len(texts):
        raise ValueError(
            f"{item_id!r} has the {LABEL} {label}; expected the place of one of {len(texts)} texts, from 0"
        )
    keywords = tuple(row.get("keywords") or ())
    context = "" if keywords else " ".join(filter(None, (row.get("context"), row.get("noun_phrase"))))
    content = candidates(context, keywords, texts)
    return Item(item_id, split, content, content.texts.index(texts[label]))
