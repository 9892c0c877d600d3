"""The members of a JSON array, each with the line on which it begins; a broken one does not hide the next."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from situatedgen.errors import SourceError
from situatedgen.sources.records import Record, broken_json, json_lines, malformed
from situatedgen.sources.text import read_text
from situatedgen.vocabulary import Verdict

DECODER = json.JSONDecoder()
SPACE = re.compile(r"[ \t\r\n]*")
COMMA = re.compile(r"[ \t\r\n]*,?[ \t\r\n]*")
BETWEEN = re.compile(r"\}[ \t\r\n]*,[ \t\r\n]*(?=\{)")


def json_array(root: Path, file: str) -> Iterator[Record]:
    """Each member of a JSON array as a record; after a broken one the walk goes on at the next.

    Raises:
        SourceError: the file is not an array at all.
    """
    text = read_text(root, file)
    opening = _skip(SPACE, text, 0)
    if opening < len(text) and text[opening] != "[":
        raise SourceError(f"{file}: expected a JSON array, found {_found(text, opening)}")
    return _members(text, opening + 1)


def json_records(root: Path, file: str) -> Iterator[Record]:
    """The records of a JSON file, be it an array or JSON lines."""
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
    # A record that broke off at the end of the file has said so already.
    if start < len(text) and (position < len(text) or verdict == Verdict.KEPT):
        yield from _ending(text, position, index, line + text.count("\n", seen, position))


def _member(text: str, start: int, index: int, line: int) -> tuple[Record, int]:
    """The member that begins here, and where to go on after it."""
    try:
        value, end = DECODER.raw_decode(text, start)
    except (ValueError, RecursionError) as error:
        return malformed(index, line, broken_json(error) + _on_line(error, line)), _resume(text, start, start)
    following = _skip(SPACE, text, end)
    if text[following : following + 1] in {",", "]", ""}:
        return Record(index, line, value), end
    reason = f"expected ',' or ']' after the record, found {_found(text, following)}"
    resumed = following if text[following] == "{" else _resume(text, start, following)
    return malformed(index, line, reason), resumed


def _ending(text: str, position: int, index: int, line: int) -> Iterator[Record]:
    if position >= len(text):
        yield malformed(index, line, "expected ']', found the end of the file")
    elif (rest := _skip(SPACE, text, position + 1)) < len(text):
        yield malformed(index, line, f"expected the end of the file after ']', found {_found(text, rest)}")


def _resume(text: str, start: int, broken: int) -> int:
    """Where the next member begins: laid out as the one at `start` is, or after the next `}, `."""
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


def _found(text: str, position: int) -> str:
    return repr(text[position : position + 20]) if position < len(text) else "the end of the file"
