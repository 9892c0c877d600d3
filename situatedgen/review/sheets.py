"""The pairs of a dataset as people are to see them, by the key that decisions know them by."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from situatedgen.records import Entity
from situatedgen.review.decisions import Content
from situatedgen.review.marks import Mark, found_marks, marks_of
from situatedgen.review.queue import Pair
from situatedgen.review.view import View, view
from situatedgen.review.wording import Marked, common_words
from situatedgen.vocabulary import Context, Label

Marks = Mapping[str, tuple[Mark, ...]]


@dataclass(frozen=True)
class Sheet:
    """A pair with the ids of its statements, from which its marks are known."""

    pair: Pair
    ids: tuple[str, str]


@dataclass(frozen=True)
class Sheets:
    """Every pair of a dataset by its key; what is shown of one is put together when it is asked for.

    `marks` are those of the build, by statement. Of a statement that has none there, the rules look for them.
    """

    by_key: Mapping[str, Sheet]
    marks: Marks
    common: frozenset[str]

    def pairs(self, split: str) -> list[Pair]:
        """The pairs of a split."""
        return [sheet.pair for sheet in self.by_key.values() if sheet.pair.split == split]

    def pair(self, content: Content) -> Pair:
        """The pair of some sentences; one that the dataset holds no more is known by them alone."""
        known = self.by_key.get(content.key)
        return known.pair if known else Pair("", "", (), content)

    def view(self, pair: Pair) -> View:
        """A pair as it is shown."""
        known = self.by_key.get(pair.key)
        ids = known.ids if known else ("", "")
        first, second = (
            self._marked(text, id_, pair.keywords) for text, id_ in zip(pair.content.statements, ids, strict=True)
        )
        return view(pair.keywords, (first, second), Context(pair.content.context), self.common)

    def _marked(self, text: str, statement_id: str, keywords: Sequence[str]) -> Marked:
        known = self.marks.get(statement_id) or found_marks(text, keywords or [text])
        return Marked(text, tuple(mark for mark in known if mark.end <= len(text)))


def sheets(examples: pl.DataFrame, entities: pl.DataFrame | None) -> Sheets:
    """The pairs of a dataset; of two that say the same, the first stands."""
    found: dict[str, Sheet] = {}
    for row in examples.sort("example_id").iter_rows(named=True):
        sheet = _sheet(row)
        found.setdefault(sheet.pair.key, sheet)
    texts = (text for sheet in found.values() for text in sheet.pair.content.statements)
    return Sheets(found, {} if entities is None else _marks(entities), common_words(texts))


def _sheet(row: dict[str, Any]) -> Sheet:  # Any: values of several types, as the schema of the folder says
    first, second = row["statements"]
    left, right = row["ids"]
    pair = Pair(
        example_id=row["example_id"],
        split=row["split"],
        keywords=tuple(row["keywords"]),
        content=Content((first, second), row["context"]),
        probability=row.get("probability"),
    )
    return Sheet(pair, (left, right))


def _marks(entities: pl.DataFrame) -> Marks:
    found: dict[str, list[Entity]] = {}
    for statement_id, start, end, label in entities.select("statement_id", "start", "end", "label").iter_rows():
        found.setdefault(statement_id, []).append(Entity(start, end, Label(label)))
    return {statement_id: marks_of(each) for statement_id, each in found.items()}
