"""Gold questions: multiple-choice items whose answers annotators ranked, and the verdict on each."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import polars as pl

from situatedgen import atomic
from situatedgen.errors import SettingsError, StoreError
from situatedgen.review.agreement import Report
from situatedgen.review.ballot_results import (
    GoldRules,
    Verified,
    ballot_agreement,
    distribution,
    fates,
    rows,
    verify_items,
)
from situatedgen.review.ballots import FEWEST, MOST, Item, Task, candidates
from situatedgen.review.decisions import plain
from situatedgen.vocabulary import Split
from storage.annotation.log import Log
from storage.filesystem import check_output

CONFIGURATIONS = ("choice", "endings")
IDS = ("example_id", "item_id", "row_id")
TEXTS = ("choices", "endings")
LABEL = "label"
UNSPLIT = "questions.parquet"


@dataclass(frozen=True)
class Choices:
    """A table of questions, the names of its id and text columns, and its rows as items."""

    table: pl.DataFrame
    id_column: str
    text_column: str
    items: tuple[Item, ...]


def read_choices(folder: Path, split: str) -> Choices | None:
    """Read the questions of a split from `choice/SPLIT.parquet`, as written by `situatedgen filter`, or SPLIT.jsonl.

    Each has an id, a list of texts (`choices` or `endings`), the index of the right one (`label`), and either
    `keywords` or a `context` with an optional `noun_phrase`. `questions.parquet`, as written by `situatedgen
    oversample`, has no splits and counts as train. Returns None if the split has no file.

    Raises:
        SettingsError: a file is not a table of questions.
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
        raise SettingsError(f"{path} is not a table of questions: {error}") from error
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
        raise ValueError(f"{item_id!r} has the {LABEL} {label}; expected an index from 0 to {len(texts) - 1}")
    keywords = tuple(row.get("keywords") or ())
    context = "" if keywords else " ".join(filter(None, (row.get("context"), row.get("noun_phrase"))))
    content = candidates(context, keywords, texts)
    return Item(item_id, split, content, content.texts.index(texts[label]))


FOLDER, VERDICTS, SUMMARY, CARD = "choice", "verdicts.parquet", "verified.json", "README.md"
OURS = frozenset({VERDICTS, SUMMARY, CARD, *(f"{FOLDER}/{split.value}.parquet" for split in Split)})
HEADER = """\
---
pretty_name: Verified questions
language:
- en
task_categories:
- multiple-choice
configs:
- config_name: {name}
  data_files:
{files}
---

# Verified questions

{kept:,} questions from {items:,} items that annotators ranked, verified by the rules of section 3.5 of Zellers et al.
(2018). The column `gold` is `found` if the right answer comes from the data, or `generated` if annotators preferred
another one (in train only). `{verdicts}` has the verdict on every item, `{summary}` the annotators' ratings.
"""


@dataclass(frozen=True)
class Gold:
    """Result of the verification: number of questions, verdicts by split, ranks and likelihoods, and agreement."""

    questions: int
    fates: Mapping[str, Mapping[str, int]]
    distribution: Mapping[str, Mapping[str, float]]
    agreement: Report


def verify(folder: Path, log: Log, out: Path, rules: GoldRules, *, seed: int = 0) -> Gold:
    """Verify the questions of a folder by their rankings, and write the verified ones into another folder.

    Raises:
        SettingsError: the folder has no questions, no one ranked any, or the output folder contains other files.
        StoreError: the output folder cannot be written.
    """
    tables = _tables(folder)
    check_output(out, SUMMARY, command="decisions gold")
    items = [item for choices in tables.values() for item in choices.items]
    right = {item.key: item.right for item in items if item.right is not None}
    ballots = [each for each in log.read().ballots if each.task is Task.RANK and each.pair in right]
    if not ballots:
        raise SettingsError(
            f"no rankings of the questions in {folder}; collect some: `situatedgen review {folder} --mode rank`"
        )
    found = verify_items(items, ballots, rules)
    questions = {split: _questions(choices, found, rules, split, seed) for split, choices in tables.items()}
    report = ballot_agreement(ballots, Task.RANK, right=right)
    count = sum(table.height for table in questions.values())
    gold = Gold(count, fates(found), distribution(items, ballots), report)
    _write(out, questions, found, {**asdict(gold), "rules": asdict(rules)})
    return gold


def _tables(folder: Path) -> dict[str, Choices]:
    read = {split.value: read_choices(folder, split.value) for split in Split}
    found = {split: choices for split, choices in read.items() if choices is not None}
    if not found:
        raise SettingsError(f"{folder} has no questions; `situatedgen filter` creates some")
    return found


def _questions(choices: Choices, found: Sequence[Verified], rules: GoldRules, split: str, seed: int) -> pl.DataFrame:
    """Return the questions with new texts and labels; all other columns are kept."""
    made = [
        (each.item.item_id, row.item_id, list(row.texts), row.label, row.gold)
        for each in found
        if each.item.split == split
        for row in rows(each, rules, seed=seed)
    ]
    schema = {
        choices.id_column: pl.String(),
        "new_id": pl.String(),
        choices.text_column: pl.List(pl.String()),
        LABEL: pl.Int64(),
        "gold": pl.String(),
    }
    asked = pl.DataFrame(made, schema=schema, orient="row")
    rest = choices.table.drop(choices.text_column, LABEL).cast({choices.id_column: pl.String()})
    whole = asked.join(rest, on=choices.id_column, how="left", maintain_order="left")
    renamed = whole.drop(choices.id_column).rename({"new_id": choices.id_column})
    return renamed.select(*choices.table.columns, "gold").sort(choices.id_column)


def _verdicts(found: Sequence[Verified]) -> pl.DataFrame:
    rows_of_items = [(each.item.item_id, each.item.split, each.outcome.fate.value, each.people) for each in found]
    schema = {"item_id": pl.String(), "split": pl.String(), "verdict": pl.String(), "people": pl.UInt32()}
    return pl.DataFrame(rows_of_items, schema=schema, orient="row").sort("split", "item_id")


def _write(
    out: Path, questions: Mapping[str, pl.DataFrame], found: Sequence[Verified], summary: Mapping[str, object]
) -> None:
    tables = {f"{FOLDER}/{split}.parquet": _parquet(table) for split, table in questions.items()}
    listed = "\n".join(f"  - split: {split}\n    path: {FOLDER}/{split}.parquet" for split in questions)
    kept = sum(table.height for table in questions.values())
    card = HEADER.format(name=FOLDER, files=listed, kept=kept, items=len(found), verdicts=VERDICTS, summary=SUMMARY)
    files = {
        **tables,
        VERDICTS: _parquet(_verdicts(found)),
        SUMMARY: (json.dumps(summary, indent=2) + "\n").encode("utf-8"),
        CARD: card.encode("utf-8"),
    }
    try:
        with atomic.lock_folder(out):
            atomic.replace_folder(out, files, ours=OURS)
    except OSError as error:
        raise StoreError(f"cannot write the folder {out}: {error}") from error


def _parquet(table: pl.DataFrame) -> bytes:
    content = BytesIO()
    table.write_parquet(content)
    return content.getvalue()
