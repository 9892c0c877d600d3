"""The records of a text file, each with its index and the line on which it begins; none is lost."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from situatedgen.sources.text import read_text
from situatedgen.vocabulary import Verdict


@dataclass(frozen=True, slots=True)
class Record:
    """A record as it stands in its file: zero-based index, 1-based line, value; or what is wrong with it."""

    index: int
    line: int
    value: object
    verdict: Verdict = Verdict.KEPT
    reason: str = ""


def malformed(index: int, line: int, reason: str) -> Record:
    """A record that could not be read, and why."""
    return Record(index, line, None, Verdict.MALFORMED, reason)


def text_lines(root: Path, file: str) -> Iterator[Record]:
    """Each line as a record; blank ones keep their place."""
    for index, line in enumerate(_lines(root, file)):
        yield Record(index, index + 1, line) if line.strip() else _blank(index)


def json_lines(root: Path, file: str) -> Iterator[Record]:
    """Each line's JSON value as a record; blank lines keep their place."""
    for index, line in enumerate(_lines(root, file)):
        yield _decoded(index, line) if line.strip() else _blank(index)


def broken_json(error: ValueError | RecursionError) -> str:
    """What is wrong with a JSON value, as a reason."""
    if isinstance(error, json.JSONDecodeError):
        return f"expected JSON, found an error at column {error.colno}: {error.msg[0].lower()}{error.msg[1:]}"
    return "expected JSON, found a value nested too deeply or a number too long"


def _lines(root: Path, file: str) -> list[str]:
    """The lines of a file, ended by LF or CRLF and by nothing else that Unicode calls a line's end."""
    lines = read_text(root, file).replace("\r\n", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def _blank(index: int) -> Record:
    return Record(index, index + 1, None, Verdict.BLANK)


def _decoded(index: int, line: str) -> Record:
    try:
        return Record(index, index + 1, json.loads(line))
    except (ValueError, RecursionError) as error:
        return malformed(index, index + 1, broken_json(error))
