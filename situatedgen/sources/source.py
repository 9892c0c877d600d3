"""The interface of a source (files and a reader that turns them into rows of `items`), and its params."""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal, NamedTuple, Protocol, Self

from pydantic import Field, field_validator, model_validator

from situatedgen.errors import RecordError, SourceError, unknown
from situatedgen.params import Params
from situatedgen.rules.licences import Group
from situatedgen.sources.formats import Record, read_bytes
from situatedgen.vocabulary import ItemKind, Verdict

BUILT_IN = ("arc", "commonsenseqa", "creak", "openbookqa", "strategyqa")
SUPPLEMENTS = ("creak_explanations", "strategyqa_facts")
"""Further parts of the same collections that the paper did not use; read only on request."""

KNOWN = (*BUILT_IN, *SUPPLEMENTS)


ENDINGS = (".csv", ".json", ".jsonl", ".parquet", ".tsv", ".txt")
# The columns of each kind: exactly one of these sets.
SHAPES: dict[ItemKind, tuple[tuple[str, ...], ...]] = {
    ItemKind.CLAIM: (("statement",),),
    ItemKind.YES_NO: (("question", "answer"),),
    ItemKind.CHOICE: (("question", "answer"), ("question", "choices", "label")),
}


class Keep(Params):
    """Which records to use: those whose column has this value; the others are only counted."""

    column: str = Field(min_length=1, description="The column to check.")
    equals: bool | int | float | str = Field(description="The value it must have, for example `true`.")


class SourceParams(Params):
    """A source: the name of one that is built in, or a description of your own."""

    name: str = Field(pattern=r"^\w[\w.-]*$", description="Name of the source, the first part of its ids.")
    files: tuple[str, ...] = Field((), description="Glob patterns of its files, relative to the sources folder.")
    kind: ItemKind | None = Field(None, description="Kind of its records.")
    statement: str = Field("", description="Column with the text of a claim.")
    question: str = Field("", description="Column with the question.")
    answer: str = Field("", description="Column with the right answer: its text, or yes or no.")
    choices: str = Field("", description="Column with the choices: a list, or `a|b|c`.")
    label: str = Field("", description="Column that identifies the right choice.")
    label_as: Literal["auto", "letter", "index", "number", "text"] = Field(
        "auto", description="How to interpret the label: `index` counts from 0, `number` from 1."
    )
    id: str = Field("", description="Column with the ids of the records, which must be unique.")
    keep: Keep | None = Field(None, description="Which records to use; default: all.")
    split: str = Field("", description="Second part of the ids; default: the file's stem.")
    reader: str = Field("", pattern=r"^([\w.]+:\w+)?$", description="`module:function` that reads other formats.")
    licence: str = Field("not stated", min_length=1, description="The licence of the data.")
    record_licence: str = Field("", description="Column with the licence of each record, if they differ.")
    citation: str = Field("not stated", min_length=1, description="How to cite the data.")

    @property
    def built_in(self) -> bool:
        """Whether the source is built in."""
        return not self.files

    @property
    def columns(self) -> dict[str, str]:
        """The names of the columns that are read, by purpose."""
        named = {
            "statement": self.statement,
            "question": self.question,
            "answer": self.answer,
            "choices": self.choices,
            "label": self.label,
            "id": self.id,
            "keep": self.keep.column if self.keep else "",
            "licence": self.record_licence,
        }
        return {part: column for part, column in named.items() if column}

    @field_validator("files", mode="before")
    @classmethod
    def _one_pattern_is_a_list(cls, files: object) -> object:
        return (files,) if isinstance(files, str) else files

    @field_validator("files")
    @classmethod
    def _files_lie_below_the_folder(cls, files: tuple[str, ...]) -> tuple[str, ...]:
        for pattern in files:
            path = PurePosixPath(pattern)
            if not pattern or path.is_absolute() or ".." in path.parts or "\\" in pattern:
                raise ValueError(f"{pattern!r} is not a pattern relative to the sources folder")
        return files

    @model_validator(mode="after")
    def _is_one_or_the_other(self) -> Self:
        if self.built_in:
            _check_built_in(self)
        else:
            _check_own(self)
        return self


class ItemParams(Params):
    """How the items of one source are read."""

    source: SourceParams
    licences: Group = Field("any", description="Exclude items whose licence is not in this group.")


def _check_built_in(source: SourceParams) -> None:
    if source.name not in KNOWN:
        raise ValueError(f"{unknown('source', source.name, KNOWN)}; a source of your own needs `files`")
    bare = SourceParams.model_construct(name=source.name, licence=source.licence, citation=source.citation)
    if source != bare:
        raise ValueError(f"source {source.name!r} is built in: only `licence` and `citation` can be set")


def _check_own(source: SourceParams) -> None:
    if source.name in KNOWN:
        raise ValueError(f"{source.name!r} is the name of a built-in source; choose another name")
    if source.kind is None:
        raise ValueError(f"source {source.name!r} needs a kind: {', '.join(ItemKind)}")
    shapes = SHAPES[source.kind]
    named = set(source.columns) - {"id", "keep", "licence"}
    if not any(set(shape) == named for shape in shapes):
        wanted = ", or ".join(" and ".join(shape) for shape in shapes)
        found = " and ".join(sorted(named)) or "none"
        raise ValueError(f"source {source.name!r} of kind {source.kind} needs the columns {wanted}; found {found}")
    if not source.reader:
        _check_endings(source)


def _check_endings(source: SourceParams) -> None:
    for pattern in source.files:
        ending = PurePosixPath(pattern).suffix
        if ending[1:].isalnum() and ending.lower() not in ENDINGS:
            raise ValueError(f"{pattern!r} does not end in one of {', '.join(ENDINGS)}; other formats need a `reader`")


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
