"""Reading and writing of prediction files and answer sheets; every error names the file and the line."""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import polars as pl

from situatedgen.atomic import write
from situatedgen.dataset.configuration import KEYWORD_SEPARATOR
from situatedgen.dataset.folder import read_examples
from situatedgen.errors import PredictionError, SettingsError, unknown
from situatedgen.formatting import format_count
from situatedgen.seeds import generator
from situatedgen.vocabulary import Split


@dataclass(frozen=True, slots=True)
class Example:
    """The input of a system (the keywords) and the expected output (the statements, in either order)."""

    example_id: str
    keywords: tuple[str, ...]
    places: tuple[int, ...]
    statements: tuple[str, str]
    context: str = ""
    sources: tuple[str, ...] = ()

    @property
    def reference(self) -> str:
        """Both statements, joined into one text."""
        return " ".join(self.statements)


def examples_of(dataset: Path, split: str = Split.TEST.value) -> tuple[Example, ...]:
    """Read the examples of a split from a dataset folder, in file order.

    Raises:
        SettingsError: the folder is not a situatedgen dataset, or the split is unknown or has no examples.
    """
    if split not in list(Split):
        raise unknown("split", split, (each.value for each in Split))
    rows = read_examples(dataset).filter(pl.col("split") == split)
    if rows.is_empty():
        raise SettingsError(f"the {split} split of {dataset} has no examples; choose another with --split")
    return tuple(map(_example, rows.iter_rows(named=True)))


def _example(row: dict[str, Any]) -> Example:  # Any: values of several types, as the schema of the folder says
    first, second = row["statements"]
    return Example(
        example_id=row["example_id"],
        keywords=tuple(row["keywords"]),
        places=tuple(row["keywords_pos"]),
        statements=(first, second),
        context=row["context"],
        sources=tuple(sorted({id_.partition("::")[0] for id_ in row["ids"]})),
    )


ID = "example_id"
TEXT = "text"
JSON_LINES = (".jsonl", ".ndjson", ".json")
SHEET = ".csv"
BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class Predictions:
    """The output of one system: one text per example, in the same order."""

    system: str
    examples: tuple[Example, ...]
    texts: tuple[str, ...]

    def of(self, example_ids: frozenset[str]) -> "Predictions":
        """The predictions for the given examples only."""
        kept = [
            (example, text)
            for example, text in zip(self.examples, self.texts, strict=True)
            if example.example_id in example_ids
        ]
        return Predictions(self.system, tuple(example for example, _ in kept), tuple(text for _, text in kept))


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    example_id: str
    text: str


def read_predictions(path: Path, examples: Sequence[Example], *, partial: bool = False) -> Predictions:
    """Read predictions from JSONL (`example_id`, `text`), a completed answer sheet (CSV), or plain text.

    A sheet may cover only some of the examples, and so may JSONL if `partial`. Plain text has one line per example,
    in the order of the split.

    Raises:
        PredictionError: the file cannot be read, or a line is invalid; the message names the line.
    """
    text = _read_text(path)
    if path.suffix in JSON_LINES:
        found = _check_lines(path, _json_lines(path, text), examples)
        return _collect_predictions(path, found, examples, partial=partial)
    if path.suffix == SHEET:
        found = _check_lines(path, _sheet_lines(path, text), examples)
        return _collect_predictions(path, found, examples, partial=True)
    return Predictions(path.stem, tuple(examples), _plain_lines(path, text, examples))


def write_predictions(path: Path, texts: Mapping[str, str] | Iterable[tuple[str, str]]) -> None:
    """Write texts by example id, atomically, as JSONL for `read_predictions`.

    Raises:
        PredictionError: the file cannot be written.
    """
    pairs = texts.items() if isinstance(texts, Mapping) else texts
    rows = [json.dumps({ID: example_id, TEXT: text}, ensure_ascii=False) + "\n" for example_id, text in pairs]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, "".join(rows).encode("utf-8"))
    except OSError as error:
        raise PredictionError(f"cannot write the predictions {path}: {error.strerror or error}") from error


def _read_text(path: Path) -> str:
    try:
        text = path.read_bytes().decode("utf-8").removeprefix(BOM)
    except OSError as error:
        raise PredictionError(f"cannot read the predictions {path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise _fault(path, line, "is not UTF-8; save the file as UTF-8") from error
    if not text.strip():
        raise PredictionError(f"{path} has no predictions: the file is empty")
    return text


def _lines(text: str) -> list[str]:
    """Split a text at newlines only, not at other Unicode line separators."""
    lines = text.replace("\r\n", "\n").split("\n")
    return lines[:-1] if not lines[-1] else lines


def _json_lines(path: Path, text: str) -> Iterator[_Line]:
    for number, line in enumerate(_lines(text), start=1):
        if not line.strip():
            raise _fault(path, number, "is empty; remove it, or write the prediction that belongs there")
        try:
            row = json.loads(line)
        except ValueError as error:
            raise _fault(path, number, f"is not JSON: {error}") from error
        yield _Line(number, *_fields(path, number, row))


def _fields(path: Path, number: int, row: object) -> tuple[str, str]:
    if not isinstance(row, dict):
        raise _fault(path, number, f'is not a JSON object; expected {{"{ID}": …, "{TEXT}": …}}')
    for name in (ID, TEXT):
        if not isinstance(row.get(name), str):
            found = f"is {row[name]!r}" if name in row else "is missing"
            raise _fault(path, number, f"the field {name!r} {found}; expected a text")
    return row[ID], row[TEXT]


def _sheet_lines(path: Path, text: str) -> Iterator[_Line]:
    reader = csv.DictReader(StringIO(text, newline=""), strict=True)
    names = reader.fieldnames or []
    if ID not in names or TEXT not in names:
        raise _fault(path, 1, f"has the columns {', '.join(names)}; expected {ID} and {TEXT} among them")
    number = reader.line_num + 1
    try:
        for row in reader:
            yield _Line(number, row[ID] or "", row[TEXT] or "")
            number = reader.line_num + 1
    except csv.Error as error:
        raise _fault(path, number, f"is not CSV: {error}") from error


def _check_lines(path: Path, lines: Iterable[_Line], examples: Sequence[Example]) -> dict[str, str]:
    known = {example.example_id for example in examples}
    first: dict[str, int] = {}
    texts: dict[str, str] = {}
    for line in lines:
        if line.example_id not in known:
            raise _fault(path, line.number, f"no example of the split has the id {line.example_id!r}")
        if line.example_id in texts:
            raise _fault(
                path,
                line.number,
                f"duplicate text for {line.example_id!r}; the first is on line {first[line.example_id]}",
            )
        if not line.text.strip():
            raise _fault(path, line.number, f"the text for {line.example_id!r} is empty")
        first[line.example_id], texts[line.example_id] = line.number, line.text
    return texts


def _collect_predictions(
    path: Path, texts: dict[str, str], examples: Sequence[Example], *, partial: bool
) -> Predictions:
    missing = [example.example_id for example in examples if example.example_id not in texts]
    if missing and not partial:
        raise PredictionError(
            f"{path} has {format_count(len(texts), 'prediction')} for {format_count(len(examples), 'example')};"
            f" the first without one is {missing[0]!r} (--partial scores only those present)"
        )
    answered = tuple(example for example in examples if example.example_id in texts)
    return Predictions(path.stem, answered, tuple(texts[example.example_id] for example in answered))


def _plain_lines(path: Path, text: str, examples: Sequence[Example]) -> tuple[str, ...]:
    lines = _lines(text)
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            raise _fault(path, number, "is empty; plain text has one prediction per line, in the order of the split")
    if len(lines) != len(examples):
        number = min(len(lines), len(examples)) + 1
        what = "is one too many" if len(lines) > len(examples) else "is missing"
        raise _fault(
            path, number, f"{what}: {format_count(len(lines), 'line')} for {format_count(len(examples), 'example')}"
        )
    return tuple(lines)


def _fault(path: Path, line: int, what: str) -> PredictionError:
    return PredictionError(f"{path}, line {line}: {what}")


KEYWORDS = "keywords"


def draw_sheet(examples: Sequence[Example], count: int, *, seed: int) -> list[Example]:
    """Draw a random sample of examples that depends on the seed but not on their order.

    Raises:
        SettingsError: there are not enough examples, or the count is not positive.
    """
    if not 0 < count <= len(examples):
        raise SettingsError(
            f"requested {count:,} of {len(examples):,} examples; choose a number from 1 to {len(examples):,}"
        )
    ordered = sorted(examples, key=lambda example: example.example_id)
    return generator(seed, "sample").sample(ordered, count)


def write_sheet(path: Path, examples: Sequence[Example]) -> None:
    """Write an answer sheet: one row per example with id, keywords and an empty column for the two sentences.

    Raises:
        SettingsError: the file name does not end in `.csv`, or the file exists; answers are never overwritten.
    """
    if path.suffix != SHEET:
        raise SettingsError(f"{path} does not end in {SHEET}; name the sheet {path.stem}{SHEET}")
    sheet = StringIO()
    writer = csv.writer(sheet)
    writer.writerow([ID, KEYWORDS, TEXT])
    writer.writerows([each.example_id, KEYWORD_SEPARATOR.join(each.keywords), ""] for each in examples)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x", encoding="utf-8-sig", newline="") as stream:
            stream.write(sheet.getvalue())
    except FileExistsError as error:
        raise SettingsError(f"{path} already exists and may contain answers; choose another name") from error
