"""Writes the questions that people verified, and what became of every item."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path

import polars as pl

from situatedgen import atomic
from situatedgen.errors import SettingsError, StoreError
from situatedgen.review.agreement import Report
from situatedgen.review.ballots.agreeing import ballot_agreement
from situatedgen.review.ballots.gold import GoldRules
from situatedgen.review.ballots.tasks import Task
from situatedgen.review.ballots.verifying import Verified, distribution, fates, rows, verified
from situatedgen.vocabulary import Split
from storage.choices import LABEL, Choices, read_choices
from storage.decisions import Log

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

{kept:,} questions from {items:,} items that people were asked to rank, by the rules of section 3.5 of Zellers et al.
(2018). `gold` says whether the right answer was right by the data (`found`) or preferred to it by people (`generated`,
in train alone). `{verdicts}` says what became of every item, `{summary}` how people judged.
"""


@dataclass(frozen=True)
class Gold:
    """What came of it: questions, what became of items by split, how people judged, and how far they agree."""

    questions: int
    fates: Mapping[str, Mapping[str, int]]
    distribution: Mapping[str, Mapping[str, float]]
    agreement: Report


def verify(folder: Path, log: Log, out: Path, rules: GoldRules, *, seed: int = 0) -> Gold:
    """What people made of the questions of a folder, once those that they verified are written into another.

    Raises:
        SettingsError: the folder holds no questions, nobody ranked any, or the other folder holds something else.
        StoreError: it cannot be written.
    """
    tables = _tables(folder)
    _check(out)
    items = [item for choices in tables.values() for item in choices.items]
    right = {item.key: item.right for item in items if item.right is not None}
    ballots = [each for each in log.read().ballots if each.task is Task.RANK and each.pair in right]
    if not ballots:
        raise SettingsError(f"nobody ranked a question of {folder}; `situatedgen review {folder} --mode rank` asks")
    found = verified(items, ballots, rules)
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
        raise SettingsError(f"{folder} holds no questions; `situatedgen filter` makes some")
    return found


def _check(out: Path) -> None:
    if out.exists() and (not out.is_dir() or (any(out.iterdir()) and not (out / SUMMARY).is_file())):
        raise SettingsError(f"{out} holds something else than verified questions; choose another folder")


def _questions(choices: Choices, found: Sequence[Verified], rules: GoldRules, split: str, seed: int) -> pl.DataFrame:
    """The table of questions with new texts and labels; whatever else it says of an item stays."""
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
    told = [(each.item.item_id, each.item.split, each.outcome.fate.value, each.people) for each in found]
    schema = {"item_id": pl.String(), "split": pl.String(), "verdict": pl.String(), "people": pl.UInt32()}
    return pl.DataFrame(told, schema=schema, orient="row").sort("split", "item_id")


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
