"""A source whose files are known by name: the shape of the five that are built in."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from situatedgen.sources.records import Record
from situatedgen.sources.source import Content, Part
from situatedgen.vocabulary import ItemKind

Format = Callable[[Path, str], Iterable[Record]]


@dataclass(frozen=True)
class Collection:
    """A source of fixed files in one format, whose records are understood by one function."""

    name: str
    kind: ItemKind
    licence: str
    citation: str
    files: tuple[Part, ...]
    format: Format
    understand: Callable[[object], Content | None]

    def parts(self, root: Path) -> tuple[Part, ...]:  # noqa: ARG002 (other sources need it)
        """Its files, which do not depend on the folder."""
        return self.files

    def records(self, root: Path, file: str) -> Iterable[Record]:
        """The records of one of its files."""
        return self.format(root, file)

    def content(self, value: object) -> Content | None:
        """What a record says; nothing when it is not meant to be used."""
        return self.understand(value)
