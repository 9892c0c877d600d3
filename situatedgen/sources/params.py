"""The params of a source: the name of a built-in one, or the description of one's own."""

from pathlib import PurePosixPath
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from situatedgen.errors import unknown
from situatedgen.params import Params
from situatedgen.rules.licences import Group
from situatedgen.sources.builtin import READABLE
from situatedgen.vocabulary import ItemKind

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
    if source.name not in READABLE:
        raise ValueError(f"{unknown('source', source.name, READABLE)}; a source of your own needs `files`")
    bare = SourceParams.model_construct(name=source.name, licence=source.licence, citation=source.citation)
    if source != bare:
        raise ValueError(f"source {source.name!r} is built in: only `licence` and `citation` can be set")


def _check_own(source: SourceParams) -> None:
    if source.name in READABLE:
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
