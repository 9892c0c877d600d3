"""A source of your own, described by its params: which files, which columns, which kind."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from situatedgen.errors import RecordError, SourceError, unknown
from situatedgen.sources.arrays import json_records
from situatedgen.sources.collection import Format
from situatedgen.sources.fields import look_up, own_id
from situatedgen.sources.labels import choice_list, choice_text, plain_text, same, yes_or_no
from situatedgen.sources.params import SourceParams
from situatedgen.sources.readers import reader_records
from situatedgen.sources.records import Record, json_lines, text_lines
from situatedgen.sources.source import Content, Part
from situatedgen.sources.tables import csv_rows, parquet_rows, tsv_rows
from situatedgen.vocabulary import ItemKind

FORMATS: dict[str, Format] = {
    ".csv": csv_rows,
    ".json": json_records,
    ".jsonl": json_lines,
    ".parquet": parquet_rows,
    ".tsv": tsv_rows,
    ".txt": text_lines,
}
LINE = "text"


@dataclass(frozen=True)
class OwnSource:
    """A source that its params describe in full."""

    params: SourceParams

    @property
    def name(self) -> str:
        """The first part of its ids."""
        return self.params.name

    @property
    def kind(self) -> ItemKind:
        """What its records are."""
        return cast(ItemKind, self.params.kind)

    @property
    def licence(self) -> str:
        """The licence of its data."""
        return self.params.licence

    @property
    def citation(self) -> str:
        """How its data is cited."""
        return self.params.citation

    def parts(self, root: Path) -> tuple[Part, ...]:
        """The files that fit its patterns, sorted by name.

        Raises:
            SourceError: a pattern fits no file, or two files would give the same ids.
        """
        found = {file for pattern in self.params.files for file in _fitting(root, pattern, self.name)}
        parts = tuple(Part(self.params.split or Path(file).stem, file) for file in sorted(found))
        _check_splits(parts)
        return parts

    def records(self, root: Path, file: str) -> Iterable[Record]:
        """The records of one of its files.

        Raises:
            SourceError: the file's format is not known, or the file is not of that format.
            SettingsError: a column that the params name is in no record.
        """
        if self.params.reader:
            records = reader_records(self.params.reader, root, file)
        else:
            records = [_as_object(record) for record in _format(file)(root, file)]
        _check_columns(self.params, file, records)
        return records

    def content(self, value: object) -> Content | None:
        """What a record says; nothing when `keep` does not hold for it.

        Raises:
            RecordError: a column is missing or cannot be understood.
        """
        keep = self.params.keep
        if keep is not None and not same(look_up(value, keep.column), keep.equals):
            return None
        if self.kind == ItemKind.CLAIM:
            statement = plain_text(look_up(value, self.params.statement), self.params.statement)
            return self._with_its_own(Content(statement=statement), value)
        question = plain_text(look_up(value, self.params.question), self.params.question)
        return self._with_its_own(Content(question=question, answer=_answer(self.params, value)), value)

    def _with_its_own(self, content: Content, value: object) -> Content:
        """What a record says, with its own id and licence where its source has such columns."""
        column = self.params.record_licence
        licence = plain_text(look_up(value, column), column) if column else None
        return replace(content, own_id=own_id(value, self.params.id), own_licence=licence)


def _format(file: str) -> Format:
    ending = Path(file).suffix.lower()
    if ending not in FORMATS:
        raise SourceError(f"{file}: expected a file that ends in one of {', '.join(FORMATS)}; it needs a `reader`")
    return FORMATS[ending]


def _answer(params: SourceParams, value: object) -> str:
    if params.kind == ItemKind.YES_NO:
        return yes_or_no(look_up(value, params.answer), params.answer)
    if params.answer:
        return plain_text(look_up(value, params.answer), params.answer)
    choices = choice_list(look_up(value, params.choices), params.choices)
    return choice_text(choices, look_up(value, params.label), params.label, params.label_as)


def _fitting(root: Path, pattern: str, name: str) -> list[str]:
    found = [path.relative_to(root).as_posix() for path in root.glob(pattern) if path.is_file()]
    if not found:
        raise SourceError(f"source {name!r}: expected files like {pattern} in {root}, found none")
    return found


def _check_splits(parts: Sequence[Part]) -> None:
    file_of: dict[str, str] = {}
    for part in parts:
        first = file_of.setdefault(part.split, part.file)
        if first != part.file:
            raise SourceError(
                f"{first} and {part.file} would both give ids of the split {part.split!r}; leave `split` out"
                " (a file's stem is then its split), or describe them as two sources"
            )


def _as_object(record: Record) -> Record:
    """A record of plain text as an object with one column."""
    if not isinstance(record.value, str):
        return record
    return Record(record.index, record.line, {LINE: record.value}, record.verdict, record.reason)


def _check_columns(params: SourceParams, file: str, records: Sequence[Record]) -> None:
    objects = [record.value for record in records if isinstance(record.value, dict)]
    for column in params.columns.values():
        if objects and not any(_has(value, column) for value in objects):
            raise unknown(f"column of {file}", column, {path for value in objects for path in _paths(value)})


def _has(value: Mapping[str, object], column: str) -> bool:
    try:
        look_up(value, column)
    except RecordError:
        return False
    return True


def _paths(value: Mapping[str, object], before: str = "") -> Iterable[str]:
    for name, inner in value.items():
        if isinstance(inner, dict):
            yield from _paths(inner, f"{before}{name}.")
        else:
            yield f"{before}{name}"
