"""Files of sentence pairs from any origin: read them, judge them, write the judgements and score the judge."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polars as pl

from situatedgen.atomic import write
from situatedgen.errors import RecordError, SettingsError, SourceError
from situatedgen.evaluation.keywords import sentences
from situatedgen.models.batches import answer_rows
from situatedgen.models.roles import Judge, RowModel
from situatedgen.progress import Progress, Silent
from situatedgen.records import Judgement
from situatedgen.schemas import PROBABILITIES
from situatedgen.sources.formats import json_lines
from situatedgen.vocabulary import Split, Verdict

FIRST, SECOND, BOTH, JOINED = "sentence_1", "sentence_2", "statements", "statement"
EXPECTED = f"expected {FIRST} and {SECOND}, or {BOTH} (a list of two), or {JOINED} (two sentences in one text)"
PLACES = ("{}.jsonl", "data/{}.jsonl")
SPLIT, VALID = "split", "valid"
NEEDED = ("fluent", "antithesis", "dependent")
"""The labels that must all be true for a pair to be valid if it has no label `valid`."""
PREFIX = "judge_"
STEP = 1024
"""Batch size for the judge: with a tenth of it, the default judge is several times slower."""
PAIRS = "pairs"
# Judgements are stored in single precision, so further digits are noise.
DECIMALS = 6
Pair = tuple[str, str]
Fields = dict[str, Any]  # Any: parsed JSON


@dataclass(frozen=True, slots=True)
class Row:
    """A row with its location in the file, its original fields and its two sentences."""

    path: Path
    line: int
    fields: Fields
    pair: Pair = ("", "")


@dataclass(frozen=True, slots=True)
class Scores:
    """How well a judge separates valid from invalid pairs, measured on the labelled rows.

    `area` is the area under the ROC curve, or None if all rows have the same label. `chosen` counts the rows at or
    above the threshold, `right` the valid ones among them.
    """

    labelled: int
    valid: int
    area: float | None
    chosen: int
    right: int


def pair_files(path: Path) -> dict[str, Path]:
    """Map each split to its file in a folder or in its `data` subfolder; a single file has the split "".

    Raises:
        SettingsError: the folder contains none of these files.
    """
    if not path.is_dir():
        return {"": path}
    for place in PLACES:
        files = {split.value: path / place.format(split.value) for split in Split}
        if found := {split: file for split, file in files.items() if file.is_file()}:
            return found
    looked = ", ".join(place.format(split.value) for place in PLACES for split in Split)
    raise SettingsError(f"{path} contains no pair files; expected at least one of {looked}")


def read_rows(files: dict[str, Path]) -> list[Row]:
    """Read all rows with their sentences; rows from the file of a split get the field `split` unless they have one.

    Raises:
        RecordError: a row is not an object with two sentences; the message names its line.
        SourceError: a file cannot be read, or there are no rows.
    """
    rows = [row for split, path in files.items() for row in _read_objects(path, split)]
    if not rows:
        raise SourceError(f"expected rows with pairs of sentences, found none in {', '.join(map(str, files.values()))}")
    texts = [_texts(row) for row in rows]
    known = {text for each in texts if len(each) == 2 for text in each}
    return [Row(row.path, row.line, row.fields, _pair(row, each, known)) for row, each in zip(rows, texts, strict=True)]


def _read_objects(path: Path, split: str) -> Iterator[Row]:
    """Yield the JSON objects of a file, skipping blank lines."""
    for record in json_lines(path.parent, path.name):
        if record.verdict is Verdict.MALFORMED:
            raise RecordError(f"{path}, line {record.line}: {record.reason}")
        if record.verdict is Verdict.BLANK:
            continue
        if not isinstance(record.value, dict):
            raise RecordError(f"{path}, line {record.line}: expected a JSON object, found {_abbreviate(record.value)}")
        yield Row(path, record.line, {**record.value, SPLIT: record.value.get(SPLIT, split)} if split else record.value)


def _texts(row: Row) -> Sequence[str]:
    """The two sentences of a row; a joined text yields as many sentences as the splitter finds."""
    given = {name: value for name, value in row.fields.items() if value is not None}
    if FIRST in given or SECOND in given:
        return [_text(row, name, row.fields.get(name)) for name in (FIRST, SECOND)]
    if BOTH in given:
        both = given[BOTH]
        if not isinstance(both, list) or len(both) != 2:
            raise _fault(row, f"expected a list of two sentences in {BOTH}, found {_abbreviate(both)}")
        return [_text(row, BOTH, text) for text in both]
    if JOINED in given:
        return sentences(_text(row, JOINED, given[JOINED]))
    found = f"the fields {', '.join(given)}" if given else "no fields"
    raise _fault(row, f"{EXPECTED}, found {found}")


def _text(row: Row, name: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip() or not _is_unicode(value):
        found = _abbreviate(value) if name in row.fields else "none"
        raise _fault(row, f"expected non-empty, valid Unicode text in {name}, found {found}")
    return value


def _is_unicode(text: str) -> bool:
    """Whether a text contains no lone surrogates, which JSON can encode but models cannot read."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def _pair(row: Row, texts: Sequence[str], known: set[str]) -> Pair:
    """The two sentences of a row; a text not yet split in two is split again at sentences known from other rows."""
    if len(texts) != 2:
        joined = row.fields[JOINED]
        inside = sorted((text for text in known if text in joined), key=lambda text: (-len(text), text))
        texts = sentences(joined, inside)
    if len(texts) != 2:
        found = f"{len(texts)} in {_abbreviate(row.fields[JOINED])}; use {BOTH}, a list of two"
        raise _fault(row, f"expected two sentences in {JOINED}, found {found}")
    return texts[0], texts[1]


def _abbreviate(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 200 else f"{text[:200]}…"


def _fault(row: Row, what: str) -> RecordError:
    return RecordError(f"{row.path}, line {row.line}: {what}")


def answer_names(rows: Sequence[Row]) -> dict[str, str]:
    """Map each part of a judgement to its output field: `NAME`, or `judge_NAME` if some row already has that field.

    Raises:
        RecordError: a row already has the prefixed field, too.
    """
    taken = set().union(*(row.fields for row in rows))
    names = {name: f"{PREFIX}{name}" if name in taken else name for name in PROBABILITIES}
    for name in names.values():
        if name in taken:
            row = next(row for row in rows if name in row.fields)
            raise _fault(row, f"the field {name}, which the judge's answer needs, already exists; rename it")
    return names


def ask_judge(
    pairs: Sequence[Pair],
    judge: Judge | RowModel,
    *,
    step: int = STEP,
    progress: Progress = Silent(),  # noqa: B008 (it has no state)
) -> list[Judgement]:
    """Judge each pair; a pair and its mirror image are judged once and get the same judgement."""
    ordered = [(min(pair), max(pair)) for pair in pairs]
    asked = pl.DataFrame(sorted(set(ordered)), schema={"left": pl.String, "right": pl.String}, orient="row")
    found: dict[Pair, Judgement] = {}
    progress.start(PAIRS, asked.height)
    for part in asked.iter_slices(step):
        for left, right, *values in (
            answer_rows("judge", judge, part).select("left", "right", *PROBABILITIES).iter_rows()
        ):
            found[left, right] = Judgement(*(round(value, DECIMALS) for value in values))
        progress.advance(PAIRS, part.height)
    progress.finish(PAIRS)
    return [found[pair] for pair in ordered]


def check_out(out: Path, files: dict[str, Path]) -> None:
    """Refuse to overwrite an input file and create the output folder, before the judge runs.

    Raises:
        SettingsError: the output file is one of the input files.
    """
    if out.exists() and any(out.samefile(path) for path in files.values()):
        raise SettingsError(f"{out} is an input file; choose another file for the answers")
    out.parent.mkdir(parents=True, exist_ok=True)


def write_rows(out: Path, rows: Sequence[Row], judgements: Sequence[Judgement], names: dict[str, str]) -> None:
    """Write each row with its original fields and its judgement, atomically."""
    lines = [
        json.dumps(
            {**row.fields, **{names[name]: value for name, value in asdict(judgement).items()}}, ensure_ascii=False
        )
        for row, judgement in zip(rows, judgements, strict=True)
    ]
    # A lone surrogate in some other field is written as the escape it was read from.
    write(out, "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace"))


def label(fields: Fields) -> bool | None:
    """Whether a pair is labelled valid; None if it has no label.

    Example:
        >>> label({"valid": True}), label({"fluent": 1, "antithesis": 0, "dependent": 1}), label({"fluent": 0.93})
        (True, False, None)
    """
    if _is_label(fields.get(VALID)):
        return bool(fields[VALID])
    parts = [fields.get(name) for name in NEEDED]
    return all(parts) if all(map(_is_label, parts)) else None


def _is_label(value: object) -> bool:
    return isinstance(value, int) and value in (0, 1)  # a bool is an int; a probability is not


def score(rows: Sequence[Row], judgements: Sequence[Judgement], *, threshold: float) -> Scores | None:
    """Score the judge on the labelled rows; None if there are none."""
    labelled = [
        (found, judgement.probability)
        for row, judgement in zip(rows, judgements, strict=True)
        if (found := label(row.fields)) is not None
    ]
    if not labelled:
        return None
    from sklearn.metrics import roc_auc_score  # noqa: PLC0415  # takes a second to import

    labels, probabilities = zip(*labelled, strict=True)
    chosen = [found for found, probability in labelled if probability >= threshold]
    area = round(float(roc_auc_score(labels, probabilities)), DECIMALS) if len(set(labels)) == 2 else None
    return Scores(len(labels), sum(labels), area, len(chosen), sum(chosen))
