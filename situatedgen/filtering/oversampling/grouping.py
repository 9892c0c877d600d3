"""Rows that belong together: none of them may be held out while a model learns from another."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from situatedgen.filtering.oversampling.fates import RowFate

if TYPE_CHECKING:
    from situatedgen.filtering.oversampling.rows import Row


def grouped(rows: Sequence["Row"]) -> list["Row"]:
    """Rows with the first id of those they belong together with, as their group.

    Rows belong together that have the same ending, or were given as one group, or of which one's context is
    another's sentence: a model that learned from the one would know the ending of the other.
    """
    kept = [row for row in rows if row.fate is RowFate.KEPT]
    said = {_said(row) for row in kept}
    first: dict[tuple[str, str], int] = {}
    above = list(range(len(kept)))
    for number, row in enumerate(kept):
        for tie in _ties(row, said):
            one, other = sorted((_top(above, first.setdefault(tie, number)), _top(above, number)))
            above[other] = one
    groups = {row.row_id: kept[_top(above, number)].row_id for number, row in enumerate(kept)}
    return [replace(row, group=groups.get(row.row_id, row.group)) for row in rows]


def _ties(row: "Row", said: set[str]) -> Iterator[tuple[str, str]]:
    yield "given", row.group
    yield "ending", " ".join(row.after).lower()
    yield "sentence", _said(row)
    if (context := _tidy(row.context)) in said:
        yield "sentence", context


def _said(row: "Row") -> str:
    return _tidy(f"{row.noun_phrase} {row.ending}")


def _tidy(text: str) -> str:
    return text.lower().strip(" .!?")


def _top(above: list[int], number: int) -> int:
    while above[number] != number:
        above[number] = number = above[above[number]]
    return number
