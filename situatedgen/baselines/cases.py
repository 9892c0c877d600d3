"""What a system is given, and what it may learn from."""

from dataclasses import dataclass

import polars as pl

from situatedgen.errors import SettingsError, unknown
from situatedgen.vocabulary import Split


@dataclass(frozen=True, slots=True)
class Case:
    """What a system is given of an example: its keywords, and nothing of the answer."""

    example_id: str
    keywords: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Lesson:
    """A training example with its answer: for each keyword, which of the two statements it stands in."""

    example_id: str
    keywords: tuple[str, ...]
    positions: tuple[int, ...]
    statements: tuple[str, str]

    @property
    def text(self) -> str:
        """The answer as a system writes it."""
        return " ".join(self.statements)


def cases(examples: pl.DataFrame, split: str) -> list[Case]:
    """The cases of a split, by example id.

    Raises:
        SettingsError: there is no such split, or it is empty.
    """
    if split not in list(Split):
        raise unknown("split", split, (each.value for each in Split))
    rows = examples.filter(pl.col("split") == split).sort("example_id").select("example_id", "keywords")
    if rows.is_empty():
        raise SettingsError(f"the split {split!r} has no examples; build a larger dataset, or choose another split")
    return [Case(example_id, tuple(keywords)) for example_id, keywords in rows.iter_rows()]


def lessons(examples: pl.DataFrame) -> list[Lesson]:
    """The training examples with their answers, by example id."""
    rows = examples.filter(pl.col("split") == Split.TRAIN.value).sort("example_id")
    columns = rows.select("example_id", "keywords", "keywords_pos", "statements")
    return [
        Lesson(example_id, tuple(keywords), tuple(positions), (statements[0], statements[1]))
        for example_id, keywords, positions, statements in columns.iter_rows()
    ]
