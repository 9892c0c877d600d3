"""Readers for JSON, JSON lines, CSV, TSV, Parquet and text files that yield records with index and line number."""

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from situatedgen.errors import RecordError, SourceError
from situatedgen.vocabulary import Verdict

if TYPE_CHECKING:
    from _csv import Reader

UTF16 = (b"\xff\xfe", b"\xfe\xff")


def read_bytes(root: Path, file: str) -> bytes:
    """The content of a file below the sources folder.

    Raises:
        SourceError: there is no such file, or it cannot be opened.
    """
    try:
        return (root / file).read_bytes()
    except FileNotFoundError as error:
        raise SourceError(f"{file}: expected this file in {root}, found none") from error
    except OSError as error:
        raise SourceError(f"{file}: cannot be read: {error.strerror}") from error


def read_text(root: Path, file: str) -> str:
    """The text of a UTF-8 file below the sources folder, without a byte-order mark.

    Raises:
        SourceError: the file is missing or not UTF-8.
    """
    data = read_bytes(root, file)
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        found = "UTF-16" if data.startswith(UTF16) else f"0x{data[error.start]:02x}"
        raise SourceError(
            f"{file}:{line}: expected UTF-8, found {found} at byte {error.start}; save the file as UTF-8"
        ) from error


@dataclass(frozen=True, slots=True)
class Record:
    """A record of a file: 0-based index, 1-based line and value, or what is wrong with it."""

    index: int
    line: int
    value: object
    verdict: Verdict = Verdict.KEPT
    reason: str = ""


def malformed_record(index: int, line: int, reason: str) -> Record:
    """A record that could not be read, with the reason."""
    return Record(index, line, None, Verdict.MALFORMED, reason)


def text_lines(root: Path, file: str) -> Iterator[Record]:
    """Each line as a record; blank lines are counted."""
    for index, line in enumerate(_lines(root, file)):
        yield Record(index, index + 1, line) if line.strip() else _blank(index)


def json_lines(root: Path, file: str) -> Iterator[Record]:
    """The JSON value of each line as a record; blank lines are counted."""
    for index, line in enumerate(_lines(root, file)):
        yield _decode(index, line) if line.strip() else _blank(index)


def broken_json(error: ValueError | RecursionError) -> str:
    """The reason why a JSON value cannot be parsed."""
    if isinstance(error, json.JSONDecodeError):
        return f"expected JSON, found an error at column {error.colno}: {error.msg[0].lower()}{error.msg[1:]}"
    return "expected JSON, found a value nested too deeply or a number too long"


def _lines(root: Path, file: str) -> list[str]:
    """The lines of a file, which end in LF or CRLF only, not in Unicode's other line separators."""
    lines = read_text(root, file).replace("\r\n", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def _blank(index: int) -> Record:
    return Record(index, index + 1, None, Verdict.BLANK)


def _decode(index: int, line: str) -> Record:
    try:
        return Record(index, index + 1, json.loads(line))
    except (ValueError, RecursionError) as error:
        return malformed_record(index, index + 1, broken_json(error))


DECODER = json.JSONDecoder()
SPACE = re.compile(r"[ \t\r\n]*")
COMMA = re.compile(r"[ \t\r\n]*,?[ \t\r\n]*")
BETWEEN = re.compile(r"\}[ \t\r\n]*,[ \t\r\n]*(?=\{)")


def json_array(root: Path, file: str) -> Iterator[Record]:
    """Each element of a JSON array as a record; parsing resumes after a malformed one.

    Raises:
        SourceError: the file is not an array at all.
    """
    text = read_text(root, file)
    opening = _skip(SPACE, text, 0)
    if opening < len(text) and text[opening] != "[":
        raise SourceError(f"{file}: expected a JSON array, found {_quote_at(text, opening)}")
    return _members(text, opening + 1)


def json_records(root: Path, file: str) -> Iterator[Record]:
    """The records of a JSON file, which is an array or JSON lines."""
    is_array = read_text(root, file).lstrip().startswith("[")
    return json_array(root, file) if is_array else json_lines(root, file)


def _members(text: str, start: int) -> Iterator[Record]:
    index, line, seen, position = 0, 1, 0, _skip(SPACE, text, start)
    verdict = Verdict.KEPT
    while position < len(text) and text[position] != "]":
        line, seen = line + text.count("\n", seen, position), position
        record, after = _member(text, position, index, line)
        yield record
        verdict = record.verdict
        index, position = index + 1, _skip(COMMA, text, after)
    # A record cut off at the end of the file has already been reported.
    if start < len(text) and (position < len(text) or verdict == Verdict.KEPT):
        yield from _check_ending(text, position, index, line + text.count("\n", seen, position))


def _member(text: str, start: int, index: int, line: int) -> tuple[Record, int]:
    """The element that begins here, and the position after it."""
    try:
        value, end = DECODER.raw_decode(text, start)
    except (ValueError, RecursionError) as error:
        return malformed_record(index, line, broken_json(error) + _on_line(error, line)), _resume(text, start, start)
    following = _skip(SPACE, text, end)
    if text[following : following + 1] in {",", "]", ""}:
        return Record(index, line, value), end
    reason = f"expected ',' or ']' after the record, found {_quote_at(text, following)}"
    resumed = following if text[following] == "{" else _resume(text, start, following)
    return malformed_record(index, line, reason), resumed


def _check_ending(text: str, position: int, index: int, line: int) -> Iterator[Record]:
    if position >= len(text):
        yield malformed_record(index, line, "expected ']', found the end of the file")
    elif (rest := _skip(SPACE, text, position + 1)) < len(text):
        yield malformed_record(index, line, f"expected the end of the file after ']', found {_quote_at(text, rest)}")


def _resume(text: str, start: int, broken: int) -> int:
    """Where the next element begins: at the same indentation as the one at `start`, or after the next `}, `."""
    indent = text[text.rfind("\n", 0, start) + 1 : start]
    if not indent.strip() and (found := text.find(f"\n{indent}{{", broken)) >= 0:
        return found + 1 + len(indent)
    between = BETWEEN.search(text, broken) if indent.strip() else None
    if between:
        return between.end()
    stripped = text.rstrip()
    return len(stripped) - 1 if stripped.endswith("]") else len(text)


def _skip(pattern: re.Pattern[str], text: str, position: int) -> int:
    found = pattern.match(text, position)
    return found.end() if found else position


def _on_line(error: ValueError | RecursionError, line: int) -> str:
    at = error.lineno if isinstance(error, json.JSONDecodeError) else line
    return f" (line {at})" if at != line else ""


def _quote_at(text: str, position: int) -> str:
    return repr(text[position : position + 20]) if position < len(text) else "the end of the file"


def csv_rows(root: Path, file: str) -> Iterator[Record]:
    """Each row of a CSV file as an object with the keys of its header; blank rows are counted."""
    return _parse_delimited(file, read_text(root, file), ",")


def tsv_rows(root: Path, file: str) -> Iterator[Record]:
    """Each row of a TSV file as an object with the keys of its header; blank rows are counted."""
    return _parse_delimited(file, read_text(root, file), "\t")


def parquet_rows(root: Path, file: str) -> Iterator[Record]:
    """Each row of a Parquet file as an object; its line is its row number, from 1.

    Raises:
        SourceError: the file is not Parquet.
    """
    data = read_bytes(root, file)
    try:
        table = pl.read_parquet(io.BytesIO(data))
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = str(error).partition("\n")[0]
        raise SourceError(f"{file}: expected a Parquet file, found something else: {reason}") from error
    for index, row in enumerate(table.iter_rows(named=True)):
        yield Record(index, index + 1, row)


def _parse_delimited(file: str, text: str, delimiter: str) -> Iterator[Record]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    header = _header(file, reader)
    for index, (line, cells) in enumerate(_number_rows(reader)):
        if isinstance(cells, str):
            yield malformed_record(index, line, cells)
        elif not any(cell.strip() for cell in cells):
            yield Record(index, line, None, Verdict.BLANK)
        elif len(cells) != len(header):
            yield malformed_record(index, line, f"expected {len(header)} columns, found {len(cells)}")
        else:
            yield Record(index, line, dict(zip(header, cells, strict=True)))


def _header(file: str, reader: "Reader") -> list[str]:
    try:
        header = next(reader, [])
    except csv.Error as error:
        raise SourceError(f"{file}:1: expected a header, found an error: {error}") from error
    repeated = sorted({name for name in header if header.count(name) > 1})
    if repeated:
        raise SourceError(f"{file}:1: expected unique column names, found {', '.join(repeated)} more than once")
    return header


def _number_rows(reader: "Reader") -> Iterator[tuple[int, list[str] | str]]:
    """Each row with the line on which it begins; for a malformed row the reason instead of its cells."""
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


SHOWN = 40
NAMES = {bool: "true or false", int: "a number", float: "a number", str: "text", type(None): "nothing"}


def look_up(value: object, path: str) -> object:
    """The value at a dotted path (`question.stem`); a key that itself contains the dots takes precedence.

    Raises:
        RecordError: the value is not an object, or has nothing at the path.
    """
    if not isinstance(value, dict):
        raise RecordError(f"expected an object with the field {path!r}, found {describe_value(value)}")
    if path in value:
        return value[path]
    first, dot, rest = path.partition(".")
    if dot and isinstance(value.get(first), dict):
        return look_up(value[first], rest)
    known = ", ".join(map(str, value)) or "none"
    raise RecordError(f"expected the field {path!r}, found the fields {known}")


def text_at(value: object, path: str) -> str:
    """The text at a path.

    Raises:
        RecordError: the value is missing, not text, blank, or not valid Unicode.
    """
    return as_text(look_up(value, path), path)


def as_text(found: object, name: str) -> str:
    """The value, if it is usable text.

    Raises:
        RecordError: the value is not text, or blank, or not valid Unicode.
    """
    if not isinstance(found, str):
        raise RecordError(f"expected text in {name!r}, found {describe_value(found)}")
    if not found.strip():
        raise RecordError(f"expected text in {name!r}, found a blank")
    if not found.isascii() and any("\ud800" <= letter <= "\udfff" for letter in found):
        raise RecordError(f"expected text in {name!r}, found half a surrogate pair")
    return found


def flag_at(value: object, path: str) -> bool:
    """The boolean at a path.

    Raises:
        RecordError: the value is missing, or not a boolean.
    """
    found = look_up(value, path)
    if not isinstance(found, bool):
        raise RecordError(f"expected true or false in {path!r}, found {describe_value(found)}")
    return found


def list_at(value: object, path: str) -> Sequence[object]:
    """The list at a path.

    Raises:
        RecordError: the value is missing, not a list, or empty.
    """
    found = look_up(value, path)
    if not isinstance(found, list | tuple) or not found:
        raise RecordError(f"expected a list in {path!r}, found {describe_value(found)}")
    return found


def describe_value(value: object) -> str:
    """A short description of a value for error messages."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list | tuple):
        return "a list" if value else "an empty list"
    name = NAMES.get(type(value), type(value).__name__)
    if value is None:
        return name
    shown = repr(value)
    return f"{name}: {shown if len(shown) <= SHOWN else shown[: SHOWN - 1] + '…'}"


def own_id(value: object, path: str) -> str | None:
    """The id that a record has in its own source; None if it has none."""
    found = value.get(path) if path and isinstance(value, dict) else None
    return str(found) if isinstance(found, str | int) else None
