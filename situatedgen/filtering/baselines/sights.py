"""What a model may see of a question: each candidate as two texts, the first of which may be empty."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import takewhile

import polars as pl

from situatedgen.errors import SchemaError
from situatedgen.filtering.pool import POOLS, Pool, Rows, pool_of
from situatedgen.schemas import TEXT, Schema, check

QUESTIONS = Schema(
    {
        "item_id": TEXT,
        "group": TEXT,
        "split": TEXT,
        "candidate": pl.UInt32(),
        "context": TEXT,
        "start": TEXT,
        "ending": TEXT,
    },
    key=("item_id", "candidate"),
)
"""Candidate 0 of a question is the right one. A candidate is a context, then a sentence in two parts, of which models
that see the ending alone see the second. `split` is empty where the questions have none."""

_WORD = re.compile(r"\S+\s*")


class Sight(StrEnum):
    """What a model sees."""

    ENDING = "ending"
    SECOND = "second sentence"
    WHOLE = "context and second sentence"


def seen(questions: pl.DataFrame, sight: Sight) -> Pool:
    """The questions as a model sees them, their two texts as the spans between which a bilinear model looks.

    Raises:
        SchemaError: the table is no table of questions.
    """
    check(questions, QUESTIONS, name="questions")
    if questions.group_by("item_id").len()["len"].n_unique() > 1:
        raise SchemaError("questions: some have more candidates than others; give each as many")
    first, second = SEEN[sight]
    rows = [
        (row["item_id"], row["group"], row["candidate"], first(row), second(row))
        for row in questions.iter_rows(named=True)
    ]
    return pool_of(POOLS.frame(rows), wrong=1, population=len(rows), distinct=False)


Text = Callable[[dict[str, str]], str]


def _sentence(row: dict[str, str]) -> str:
    return f"{row['start']} {row['ending']}".strip()


SEEN: dict[Sight, tuple[Text, Text]] = {
    Sight.ENDING: (lambda _: "", lambda row: row["ending"]),
    Sight.SECOND: (lambda row: row["start"], lambda row: row["ending"]),
    Sight.WHOLE: (lambda row: row["context"], _sentence),
}


def situated(pool: Pool, asked: Rows, items: Rows, splits: Mapping[str, str]) -> pl.DataFrame:
    """Some questions of situated choice as a table.

    The context is the first sentence of an answer, the ending what follows the words that the second sentences of
    all answers begin with.
    """
    return QUESTIONS.frame(
        [
            (item_id, pool.groups[item], splits.get(item_id, ""), *row)
            for item in items.tolist()
            for item_id in [pool.item_ids[item]]
            for row in _rows(pool, asked[item].tolist())
        ]
    )


def _rows(pool: Pool, own: Sequence[int]) -> Iterator[tuple[int, str, str, str]]:
    parts = halves([pool.second[row] for row in own])
    for number, (row, (start, ending)) in enumerate(zip(own, parts, strict=True)):
        yield number, pool.first[row], start, ending


def halves(sentences: Sequence[str]) -> list[tuple[str, str]]:
    """Sentences cut after the words that all of them begin with.

    Example:
        >>> halves(["Lima lies in Peru.", "Lima lies in Chad."])
        [('Lima lies in', 'Peru.'), ('Lima lies in', 'Chad.')]
    """
    words = [_WORD.findall(sentence) for sentence in sentences]
    shared = sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, zip(*words, strict=False)))
    return [("".join(one[:shared]).strip(), "".join(one[shared:])) for one in words]
