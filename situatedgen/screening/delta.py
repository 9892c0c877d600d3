"""What an earlier screening still says: a pair depends on its two statements, and on what others state."""

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from situatedgen.schemas import PARSES
from situatedgen.screening.facts import Words, words_of
from situatedgen.vocabulary import Verdict

READ = {
    "statements": ("text",),
    "keywords": ("start", "end", "label"),
    "parses": tuple(name for name in PARSES.columns if name != "statement_id"),
}
"""What a reading is made from, with the columns that it takes."""
ENDS = ("left_id", "right_id")


@dataclass(frozen=True)
class Stating:
    """The tables that the checks look at beside the pairs."""

    statements: pl.DataFrame
    keywords: pl.DataFrame
    parses: pl.DataFrame

    @cached_property
    def stated(self) -> frozenset[Words]:
        """The keywords of each statement, in the form in which contents are compared."""
        kept = self.statements.filter(pl.col("verdict") == Verdict.KEPT)["statement_id"]
        return frozenset(self.words(kept).values())

    def words(self, ids: pl.Series) -> dict[str, Words]:
        """The keywords of some statements that have any, in that form."""
        spans = self.keywords.filter(pl.col("statement_id").is_in(ids.implode()))
        return {each: words_of(tuple(texts)) for each, texts in spans.group_by("statement_id").agg("text").iter_rows()}


def still_known(kept: pl.DataFrame, now: Stating, before: Stating, result: pl.DataFrame) -> pl.DataFrame:
    """The kept pairs of which an earlier result says what a new one would, with their flags and doubt from there."""
    ids = pl.concat([kept[end] for end in ENDS]).unique()
    touched = near(now.words(ids), now.stated ^ before.stated)
    same = same_readings(ids, now, before).to_frame("id").filter(~pl.col("id").is_in(touched))
    found = result.select(*ENDS, "flags", "doubt", was=pl.col("similarity"))
    for end in ENDS:
        found = found.join(same, left_on=end, right_on="id", how="semi")
    return kept.join(found, on=ENDS).filter(pl.col("similarity") == pl.col("was")).drop("was")


def near(words: Mapping[str, Words], changed: Set[Words]) -> list[str]:
    """The statements that a swap of one word may bring to what is stated only now, or no longer.

    Example:
        >>> near({"one": frozenset({"capital", "peru"}), "two": frozenset({"moon"})}, {frozenset({"capital", "chile"})})
        ['one']
    """
    ends = {*changed, *(less for each in changed for less in _less_one(each))}
    return [name for name, own in words.items() if any(less in ends for less in _less_one(own))]


def same_readings(ids: pl.Series, now: Stating, before: Stating) -> pl.Series:
    """The statements, of some, that the checks read as they did before."""
    for name, columns in READ.items():
        ids = _same_rows(ids, getattr(now, name), getattr(before, name), columns)
    return ids


def _less_one(words: Words) -> Iterator[Words]:
    return (words - {word} for word in words)


def _same_rows(ids: pl.Series, now: pl.DataFrame, before: pl.DataFrame, columns: Iterable[str]) -> pl.Series:
    """The ids, of some, that have rows, the same and in the same order in two tables sorted by them."""
    tables = [table.filter(pl.col("statement_id").is_in(ids.implode())) for table in (now, before)]
    counts = [table.group_by("statement_id").len() for table in tables]
    even = counts[0].join(counts[1], on=["statement_id", "len"])["statement_id"]
    ours, theirs = (table.filter(pl.col("statement_id").is_in(even.implode())) for table in tables)
    differs = pl.any_horizontal(ours[column].ne_missing(theirs[column]) for column in columns)
    changed = ours.filter(differs)["statement_id"]
    return even.filter(~even.is_in(changed.implode()))
