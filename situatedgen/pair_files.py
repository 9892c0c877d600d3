"""Files with pairs of sentences, ours or anybody's: read, asked of a judge, written with its answers, and scored."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polars as pl

from situatedgen.atomic import write
from situatedgen.errors import RecordError, SettingsError, SourceError
from situatedgen.evaluation.keywords import sentences
from situatedgen.models.batches import answered
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
"""What a pair must be to be valid, where the label `valid` is not given."""
PREFIX = "judge_"
STEP = 1024
"""Pairs that a judge is asked at once: the default one is several times slower with a tenth of these."""
PAIRS = "pairs"
# Judgements are kept in single precision, whose later digits are noise.
DECIMALS = 6
Pair = tuple[str, str]
Fields = dict[str, Any]  # Any: parsed JSON


@dataclass(frozen=True, slots=True)
class Row:
    """A row as it stands in its file, and its two sentences."""

    path: Path
    line: int
    fields: Fields
    pair: Pair = ("", "")


@dataclass(frozen=True, slots=True)
class Scores:
    """How well a judge tells valid pairs from others, by the rows whose label is known.

    `area` is that under the ROC curve; nothing where all are valid, or none. `chosen` are the rows at the threshold or
    above it, and `right` those of them that are valid.
    """

    labelled: int
    valid: int
    area: float | None
    chosen: int
    right: int


def pair_files(path: Path) -> dict[str, Path]:
    """The files to read, by split: those of a folder, in it or in its `data`; a file has no split.

    Raises:
        SettingsError: a folder has none.
    """
    if not path.is_dir():
        return {"": path}
    for place in PLACES:
        files = {split.value: path / place.format(split.value) for split in Split}
        if found := {split: file for split, file in files.items() if file.is_file()}:
            return found
    looked = ", ".join(place.format(split.value) for place in PLACES for split in Split)
    raise SettingsError(f"{path} holds no pairs: expected one or more of {looked}")


def read_rows(files: dict[str, Path]) -> list[Row]:
    """The rows of files, each with its sentences; those of a split get the field `split`, unless they have one.

    Raises:
        RecordError: a row is not an object with two sentences; names its line.
        SourceError: a file cannot be read, or there are no rows.
    """
    rows = [row for split, path in files.items() for row in _objects(path, split)]
    if not rows:
        raise SourceError(f"expected rows with pairs of sentences, found none in {', '.join(map(str, files.values()))}")
    texts = [_texts(row) for row in rows]
    known = {text for each in texts if len(each) == 2 for text in each}
    return [Row(row.path, row.line, row.fields, _pair(row, each, known)) for row, each in zip(rows, texts, strict=True)]


def _objects(path: Path, split: str) -> Iterator[Row]:
    """The objects in the lines of a file; blank lines are passed over."""
    for record in json_lines(path.parent, path.name):
        if record.verdict is Verdict.MALFORMED:
            raise RecordError(f"{path}, line {record.line}: {record.reason}")
        if record.verdict is Verdict.BLANK:
            continue
        if not isinstance(record.value, dict):
            raise RecordError(f"{path}, line {record.line}: expected a JSON object, found {_shown(record.value)}")
        yield Row(path, record.line, {**record.value, SPLIT: record.value.get(SPLIT, split)} if split else record.value)


def _texts(row: Row) -> Sequence[str]:
    """The two sentences of a row; of those that stand in one text, as many as are found."""
    given = {name: value for name, value in row.fields.items() if value is not None}
    if FIRST in given or SECOND in given:
        return [_text(row, name, row.fields.get(name)) for name in (FIRST, SECOND)]
    if BOTH in given:
        both = given[BOTH]
        if not isinstance(both, list) or len(both) != 2:
            raise _fault(row, f"expected a list of two sentences as {BOTH}, found {_shown(both)}")
        return [_text(row, BOTH, text) for text in both]
    if JOINED in given:
        return sentences(_text(row, JOINED, given[JOINED]))
    found = f"the fields {', '.join(given)}" if given else "no fields"
    raise _fault(row, f"{EXPECTED}, found {found}")


def _text(row: Row, name: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip() or not _is_unicode(value):
        found = _shown(value) if name in row.fields else "none"
        raise _fault(row, f"expected a text of Unicode characters, not empty, as {name}, found {found}")
    return value


def _is_unicode(text: str) -> bool:
    """Whether a text is free of halves of surrogate pairs, which JSON can spell, and no model reads."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def _pair(row: Row, texts: Sequence[str], known: set[str]) -> Pair:
    """Two sentences; where one text was not found to be two, it is cut again at sentences that other rows have."""
    if len(texts) != 2:
        joined = row.fields[JOINED]
        inside = sorted((text for text in known if text in joined), key=lambda text: (-len(text), text))
        texts = sentences(joined, inside)
    if len(texts) != 2:
        found = f"{len(texts)} in {_shown(row.fields[JOINED])}; give them as {BOTH}, a list of two"
        raise _fault(row, f"expected two sentences as {JOINED}, found {found}")
    return texts[0], texts[1]


def _shown(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 200 else f"{text[:200]}…"


def _fault(row: Row, what: str) -> RecordError:
    return RecordError(f"{row.path}, line {row.line}: {what}")


def answer_names(rows: Sequence[Row]) -> dict[str, str]:
    """The field of each part of a judgement: its own name, or `judge_NAME` where a row has a field of that name.

    Raises:
        RecordError: a row has that, too.
    """
    taken = set().union(*(row.fields for row in rows))
    names = {name: f"{PREFIX}{name}" if name in taken else name for name in PROBABILITIES}
    for name in names.values():
        if name in taken:
            row = next(row for row in rows if name in row.fields)
            raise _fault(row, f"expected {name} to be free for the judge's answer, found a field; rename it")
    return names


def ask_judge(
    pairs: Sequence[Pair],
    judge: Judge | RowModel,
    *,
    step: int = STEP,
    progress: Progress = Silent(),  # noqa: B008 (it has no state)
) -> list[Judgement]:
    """What a judge says of each pair; two sentences are one question, whichever stands first."""
    ordered = [(min(pair), max(pair)) for pair in pairs]
    asked = pl.DataFrame(sorted(set(ordered)), schema={"left": pl.String, "right": pl.String}, orient="row")
    found: dict[Pair, Judgement] = {}
    progress.start(PAIRS, asked.height)
    for part in asked.iter_slices(step):
        for left, right, *values in answered("judge", judge, part).select("left", "right", *PROBABILITIES).iter_rows():
            found[left, right] = Judgement(*(round(value, DECIMALS) for value in values))
        progress.advance(PAIRS, part.height)
    progress.finish(PAIRS)
    return [found[pair] for pair in ordered]


def check_out(out: Path, files: dict[str, Path]) -> None:
    """Refuse to write over what is read, and make the folder of the file, before a judge is asked.

    Raises:
        SettingsError: the file is one of those that are read.
    """
    if out.exists() and any(out.samefile(path) for path in files.values()):
        raise SettingsError(f"{out} is what is to be judged; choose another file for the answers")
    out.parent.mkdir(parents=True, exist_ok=True)


def write_rows(out: Path, rows: Sequence[Row], judgements: Sequence[Judgement], names: dict[str, str]) -> None:
    """Write each row as it was, and what the judge says of it; the file is there whole or not at all."""
    lines = [
        json.dumps(
            {**row.fields, **{names[name]: value for name, value in asdict(judgement).items()}}, ensure_ascii=False
        )
        for row, judgement in zip(rows, judgements, strict=True)
    ]
    # Half of a surrogate pair in some other field becomes the escape that it was.
    write(out, "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace"))


def label(fields: Fields) -> bool | None:
    """Whether somebody found a pair valid; nothing where that is not known.

    Example:
        >>> label({"valid": True}), label({"fluent": 1, "antithesis": 0, "dependent": 1}), label({"fluent": 0.93})
        (True, False, None)
    """
    if _is_label(fields.get(VALID)):
        return bool(fields[VALID])
    parts = [fields.get(name) for name in NEEDED]
    return all(parts) if all(map(_is_label, parts)) else None


def _is_label(value: object) -> bool:
    return isinstance(value, int) and value in (0, 1)  # a bool is one of these; a probability is not


def score(rows: Sequence[Row], judgements: Sequence[Judgement], *, threshold: float) -> Scores | None:
    """How well a judge does on the rows that have a label; nothing where none has."""
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
