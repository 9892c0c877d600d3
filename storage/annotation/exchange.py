"""Exports decisions for other annotation tools (CSV, Label Studio) and imports decisions from them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from situatedgen import atomic
from situatedgen.dataset.folder import read_examples
from situatedgen.errors import DecisionError, SettingsError, StoreError
from situatedgen.review.criteria import QUESTIONNAIRES
from situatedgen.review.decisions import Decision
from situatedgen.review.exchange import Arrivals, admit, from_csv, from_tasks, label_config, to_csv, to_tasks
from situatedgen.review.queue import Pair, order_pairs, sheets
from situatedgen.vocabulary import Mode
from storage.annotation.log import Log
from storage.builds import now

Format = Literal["csv", "label-studio"]
FORMATS: Mapping[str, Format] = {".csv": "csv", ".json": "label-studio"}


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """Counts of an import: new decisions, known decisions, and unanswered rows."""

    new: int
    known: int
    blank: int


def format_of(path: Path) -> Format:
    """Return the format of a file by its suffix.

    Raises:
        SettingsError: the suffix is not a known format.
    """
    if path.suffix not in FORMATS:
        raise SettingsError(f"unknown format of {path.name}: expected .csv, or .json for Label Studio")
    return FORMATS[path.suffix]


def export_decisions(decisions: Sequence[Decision], out: Path, *, mode: Mode, pairs: Sequence[Pair]) -> list[Path]:
    """Write decisions to a file and return the files written; Label Studio also gets the project configuration.

    A Label Studio file contains the decisions of one mode, because a project asks one set of questions.

    Raises:
        SettingsError: the suffix is not a known format.
        StoreError: a file cannot be written.
    """
    if format_of(out) == "csv":
        undecided = _undecided_pairs([each for each in decisions if each.mode is mode], pairs)
        return [_write(out, to_csv(decisions, undecided))]
    questions = QUESTIONNAIRES[mode]
    tasks = _write(out, to_tasks(decisions, questions, pairs))
    return [tasks, _write(out.with_suffix(".xml"), label_config(questions))]


def import_decisions(
    log: Log, path: Path, *, known: Collection[str] | None, people: Mapping[str, str] | None = None
) -> ImportSummary:
    """Import the decisions of a file into a log, all or none, skipping those already there.

    `known` are the keys of the pairs that may be judged, in addition to those already judged in this log; None allows
    any pair.

    Raises:
        SettingsError: the file cannot be read, or its suffix is not a known format.
        DecisionError: a decision is rejected; every rejected one is listed.
    """
    arrived = _read(path, people or {})
    here = {entry.pair for entry in log.read().entries if isinstance(entry, Decision)}
    decisions = admit(arrived, None if known is None else here.union(known))
    new = log.add_all(decisions)
    return ImportSummary(new, len(decisions) - new, arrived.blank)


def dataset_pairs(dataset: Path, split: str = "") -> list[Pair]:
    """Return the pairs of a dataset folder or of one of its splits, the least likely to be valid first.

    Raises:
        SettingsError: the folder is not a dataset.
    """
    found = sheets(read_examples(dataset), None).by_key.values()
    return order_pairs((sheet.pair for sheet in found if split in ("", sheet.pair.split)), seed=0)


def _undecided_pairs(decisions: Sequence[Decision], pairs: Sequence[Pair]) -> list[Pair]:
    decided = {decision.pair for decision in decisions}
    return [pair for pair in pairs if pair.key not in decided]


def _read(path: Path, people: Mapping[str, str]) -> Arrivals:
    read = from_csv if format_of(path) == "csv" else from_tasks
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            text = stream.read()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} cannot be read: {error}") from error
    try:
        return read(text, at=now(), people=people)
    except DecisionError as error:
        raise DecisionError(f"{path}: {error}") from error


def _write(path: Path, text: str) -> Path:
    try:
        atomic.write(path, text)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error}") from error
    return path
