"""The interface of a source: files, and a reader that turns them into rows of `items`."""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from situatedgen.errors import RecordError, SourceError
from situatedgen.sources.formats import Record, read_bytes
from situatedgen.vocabulary import ItemKind, Verdict


@dataclass(frozen=True, slots=True)
class Part:
    """A file of a source, by its path below the sources folder, and the split in its ids."""

    split: str
    file: str


@dataclass(frozen=True, slots=True)
class Content:
    """The content of a record: a question with its answer, or a statement.

    `own_id` is its id in the source, `own_licence` the licence of this record alone.
    """

    question: str | None = None
    answer: str | None = None
    statement: str | None = None
    own_id: str | None = None
    own_licence: str | None = None


class ItemRow(NamedTuple):
    """A row of `items`."""

    item_id: str
    source: str
    split: str
    file: str
    line: int
    kind: ItemKind
    question: str | None
    answer: str | None
    statement: str | None
    licence: str
    citation: str
    verdict: Verdict
    reason: str | None


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of reading a source: its rows, and how many records were skipped on purpose."""

    rows: tuple[ItemRow, ...]
    unused: int


Firsts = dict[str, tuple[int, int]]
"""Index and line of the first record with each id; keeping the records themselves would cost memory."""


class Source(Protocol):
    """A collection that can be read."""

    @property
    def name(self) -> str:
        """The first part of its ids."""

    @property
    def kind(self) -> ItemKind:
        """The kind of its records."""

    @property
    def licence(self) -> str:
        """The licence of its data."""

    @property
    def citation(self) -> str:
        """How to cite its data."""

    def parts(self, root: Path) -> tuple[Part, ...]:
        """Its files, whether or not they exist."""

    def records(self, root: Path, file: str) -> Iterable[Record]:
        """The records of one of its files."""

    def content(self, value: object) -> Content | None:
        """The content of a record; None if it is skipped on purpose."""


def read(source: Source, root: Path) -> Reading:
    """Every record of a source as a row: kept, blank, or malformed with a reason.

    Raises:
        SourceError: a file is missing, not UTF-8 or empty, or no record of the source is usable.
    """
    found = [row for part in source.parts(root) for row in _rows(source, root, part)]
    rows = tuple(row for row in found if row is not None)
    _check_any_kept(source, rows)
    return Reading(rows, len(found) - len(rows))


def file_digests(source: Source, root: Path) -> dict[str, str]:
    """The sha256 of each file of a source, by its path below the sources folder.

    Raises:
        SourceError: a file is missing or cannot be read.
    """
    files = sorted({part.file for part in source.parts(root)})
    return {file: hashlib.sha256(read_bytes(root, file)).hexdigest() for file in files}


def _rows(source: Source, root: Path, part: Part) -> list[ItemRow | None]:
    firsts: Firsts = {}
    found = [_row(source, part, record, firsts) for record in source.records(root, part.file)]
    if not found:
        raise SourceError(f"{part.file}: expected records, found an empty file")
    return found


def _row(source: Source, part: Part, record: Record, firsts: Firsts) -> ItemRow | None:
    """The row of a record; None if the record is skipped on purpose."""
    where = f"{part.file}:{record.line}"
    if record.verdict == Verdict.BLANK:
        return _make_row(source, part, record, Content(), Verdict.BLANK, f"{where}: blank")
    try:
        content = _content(source, record, firsts)
    except RecordError as error:
        # A key or value of a malformed record may itself not be valid Unicode.
        reason = f"{where}: {error}".encode("utf-8", "backslashreplace").decode("utf-8")
        return _make_row(source, part, record, Content(), Verdict.MALFORMED, reason)
    return None if content is None else _make_row(source, part, record, content, Verdict.KEPT, None)


def _content(source: Source, record: Record, firsts: Firsts) -> Content | None:
    if record.verdict == Verdict.MALFORMED:
        raise RecordError(record.reason)
    content = source.content(record.value)
    if content is not None and content.own_id is not None:
        index, line = firsts.setdefault(content.own_id, (record.index, record.line))
        if index != record.index:
            raise RecordError(f"expected an id of its own, found {content.own_id!r}, the id of line {line}")
    return content


def _make_row(
    source: Source, part: Part, record: Record, content: Content, verdict: Verdict, reason: str | None
) -> ItemRow:
    return ItemRow(
        item_id=f"{source.name}::{part.split}::{record.index}",
        source=source.name,
        split=part.split,
        file=part.file,
        line=record.line,
        kind=source.kind,
        question=content.question,
        answer=content.answer,
        statement=content.statement,
        licence=content.own_licence or source.licence,
        citation=source.citation,
        verdict=verdict,
        reason=reason,
    )


def _check_any_kept(source: Source, rows: Iterable[ItemRow]) -> None:
    reasons = []
    for row in rows:
        if row.verdict == Verdict.KEPT:
            return
        reasons.append(row.reason)
    first = f"; first problem: {reasons[0]}" if reasons else "; all were skipped on purpose"
    raise SourceError(f"source {source.name!r}: no usable records{first}")


Format = Callable[[Path, str], Iterable[Record]]


@dataclass(frozen=True)
class Collection:
    """A source of fixed files in one format, whose records one function interprets."""

    name: str
    kind: ItemKind
    licence: str
    citation: str
    files: tuple[Part, ...]
    format: Format
    to_content: Callable[[object], Content | None]

    def parts(self, root: Path) -> tuple[Part, ...]:  # noqa: ARG002 (other sources need it)
        """Its files, which do not depend on the folder."""
        return self.files

    def records(self, root: Path, file: str) -> Iterable[Record]:
        """The records of one of its files."""
        return self.format(root, file)

    def content(self, value: object) -> Content | None:
        """The content of a record; None if it is skipped on purpose."""
        return self.to_content(value)
