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
    """Which records are used: those whose column has this value; the others are counted, and left."""

    column: str = Field(min_length=1, description="The column that decides.")
    equals: bool | int | float | str = Field(description="The value it must have, for example `true`.")


class SourceParams(Params):
    """A source: the name of one that is built in, or a description of your own."""

    name: str = Field(pattern=r"^\w[\w.-]*$", description="Its name, the first part of every id.")
    files: tuple[str, ...] = Field((), description="Patterns of its files, below the sources folder.")
    kind: ItemKind | None = Field(None, description="What a record is.")
    statement: str = Field("", description="The column of a claim's text.")
    question: str = Field("", description="The column of the question.")
    answer: str = Field("", description="The column of the right answer: its text, or yes or no.")
    choices: str = Field("", description="The column of the choices: a list, or `a|b|c`.")
    label: str = Field("", description="The column that says which choice is right.")
    label_as: Literal["auto", "letter", "index", "number", "text"] = Field(
        "auto", description="How a label is read: `index` counts from 0, `number` from 1."
    )
    id: str = Field("", description="The column of the records' own ids, which may not repeat.")
    keep: Keep | None = Field(None, description="Which records are used; all of them, when left out.")
    split: str = Field("", description="The second part of ids; else a file's stem.")
    reader: str = Field("", pattern=r"^([\w.]+:\w+)?$", description="`module:function` for odd formats.")
    licence: str = Field("not stated", min_length=1, description="The licence of the data.")
    record_licence: str = Field("", description="The column of a record's own licence, where they differ.")
    citation: str = Field("not stated", min_length=1, description="How the data is cited.")

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
                raise ValueError(f"{pattern!r} is not a pattern below the sources folder")
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
    licences: Group = Field("any", description="Items whose licence is not of this group are out.")


def _check_built_in(source: SourceParams) -> None:
    if source.name not in READABLE:
        raise ValueError(f"{unknown('source', source.name, READABLE)}; a source of your own needs `files`")
    bare = SourceParams.model_construct(name=source.name, licence=source.licence, citation=source.citation)
    if source != bare:
        raise ValueError(f"source {source.name!r} is built in: give its name, and at most a licence and a citation")


def _check_own(source: SourceParams) -> None:
    if source.name in READABLE:
        raise ValueError(f"{source.name!r} is the name of a source that is built in; choose another name")
    if source.kind is None:
        raise ValueError(f"source {source.name!r} needs a kind: {', '.join(ItemKind)}")
    shapes = SHAPES[source.kind]
    named = set(source.columns) - {"id", "keep", "licence"}
    if not any(set(shape) == named for shape in shapes):
        wanted = ", or ".join(" and ".join(shape) for shape in shapes)
        found = " and ".join(sorted(named)) or "none"
        raise ValueError(f"source {source.name!r} of kind {source.kind} needs the columns {wanted}; has {found}")
    if not source.reader:
        _check_endings(source)


def _check_endings(source: SourceParams) -> None:
    for pattern in source.files:
        ending = PurePosixPath(pattern).suffix
        if ending[1:].isalnum() and ending.lower() not in ENDINGS:
            raise ValueError(
                f"{pattern!r} does not end in one of {', '.join(ENDINGS)}; a format of your own needs a `reader`"
            )
