"""A statement as the checks read it: its words, how they hang together, and its keywords."""

from dataclasses import dataclass

from situatedgen.records import Token
from situatedgen.vocabulary import GEO_LABELS, TEMP_LABELS, Label


@dataclass(frozen=True, slots=True)
class Named:
    """A keyword of a statement: half-open character offsets, and its label where it is an entity."""

    start: int
    end: int
    label: Label | None

    @property
    def is_place(self) -> bool:
        """Whether it is a place that can be swapped."""
        return self.label in GEO_LABELS

    @property
    def is_time(self) -> bool:
        """Whether it is a time that can be swapped."""
        return self.label in TEMP_LABELS


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A statement, its words in order, and its keywords in order."""

    text: str
    words: tuple[Token, ...]
    keywords: tuple[Named, ...]

    def written(self, stretch: Token | Named) -> str:
        """What stands at a word or keyword."""
        return self.text[stretch.start : stretch.end]
