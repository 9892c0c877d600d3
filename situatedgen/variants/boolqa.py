"""The configuration `boolqa`: statements that are true, and the same with a place or time that makes them false."""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

from situatedgen.rules.splits import NOT_A_WORD
from situatedgen.variants.binding import is_bound
from situatedgen.variants.configuration import Configuration, Field, Tables
from situatedgen.variants.slots import Named, Slot, slots, swapped
from situatedgen.vocabulary import Label, Verdict

TEXTS = pl.List(pl.String)
FIELDS = {
    "id": Field(pl.String(), "the id of the statement; a false one also has the id of the statement it swapped with"),
    "statement": Field(pl.String(), "the statement to judge"),
    "label": Field(pl.Boolean(), "whether it is true"),
    "context": Field(pl.String(), "whether its truth hangs on a place (`GEO`) or a time (`TEMP`)"),
    "span": Field(pl.String(), "the place or time in the statement"),
    "true_span": Field(pl.String(), "the place or time with which it is true"),
    "ids": Field(TEXTS, "the ids of the statements that it is made of"),
    "licences": Field(TEXTS, "their licences, in the same order"),
}
SCHEMA = {name: field.dtype for name, field in FIELDS.items()} | {"split": pl.String()}


@dataclass(frozen=True, slots=True)
class Known:
    """A statement: its places and times that can be swapped, and those of them that it is bound to."""

    text: str
    slots: tuple[Slot, ...]
    bound: tuple[Slot, ...]


@dataclass(frozen=True, slots=True)
class Twin:
    """A statement with another's place or time in it: what stood there, and what stands there now."""

    text: str
    slot: Slot
    given: Slot


class Turned(NamedTuple):
    """A pair in one of its two orders."""

    split: str
    left: str
    right: str
    licences: tuple[str, str]


def rows(tables: Tables) -> pl.DataFrame:
    """A true row and a false one for each statement that has a twin, by id.

    No text stands twice, and no text that is among the statements of the sources is called false.
    """
    examples, statements = tables["examples"], tables["statements"]
    kept = statements.filter(pl.col("verdict") == Verdict.KEPT)
    known = {id_: read(text, words) for id_, text, words in _worded(examples, kept, tables["keywords"])}
    taken = _taken(kept["text"])
    made = list(_rows(_turned(examples, known), known, taken))
    return pl.DataFrame(made, schema=SCHEMA, orient="row").sort("id")


def read(text: str, words: Sequence[Named]) -> Known:
    """A statement with the places and times in it."""
    found = slots(text, words)
    return Known(text, found, tuple(slot for slot in found if is_bound(text, slot, words)))


def twin(left: Known, right: Known) -> Twin | None:
    """A statement with the place or time of another in its own one's stead, false and in good English; or nothing.

    Of several places or times that fit, the first is taken.
    """
    for own in left.bound:
        for given in right.slots:
            if own.takes(given):
                return Twin(swapped(left.text, own, given), own, given)
    return None


def squashed(text: str) -> str:
    """A text as it is compared: without case, punctuation and spaces.

    Example:
        >>> squashed("It's in Peru.") == squashed("It’s in PERU")
        True
    """
    return NOT_A_WORD.sub("", unicodedata.normalize("NFKC", text).lower())


def squashed_texts(texts: pl.Expr) -> pl.Expr:
    """The same for many texts at once."""
    return _bare(texts.str.normalize("NFKC"))


def _bare(texts: pl.Expr) -> pl.Expr:
    return texts.str.to_lowercase().str.replace_all(r"[^\p{L}\p{N}]+", "")


def _taken(texts: pl.Series) -> set[str]:
    """Texts as they are compared; to normalise takes longer than all else, and nearly all are of ASCII."""
    is_ascii = texts.str.len_bytes() == texts.str.len_chars()
    parts = (_bare(pl.lit(texts.filter(is_ascii))), squashed_texts(pl.lit(texts.filter(~is_ascii))))
    return {text for part in parts for text in pl.select(part).to_series().to_list()}


def _worded(
    examples: pl.DataFrame, kept: pl.DataFrame, keywords: pl.DataFrame
) -> Iterator[tuple[str, str, tuple[Named, ...]]]:
    """The statements of examples with their keywords."""
    used = examples.select(statement_id=pl.col("ids").explode(empty_as_null=False)).unique()
    spans = keywords.join(used, on="statement_id", how="semi").sort("statement_id", "start")
    grouped = spans.group_by("statement_id").agg("start", "end", pl.col("label").cast(pl.String))
    full = kept.select("statement_id", "text").join(grouped, on="statement_id").sort("statement_id")
    for id_, text, starts, ends, labels in full.select("statement_id", "text", "start", "end", "label").iter_rows():
        placed = zip(starts, ends, labels, strict=True)
        yield id_, text, tuple(Named(start, end, Label(label) if label else None) for start, end, label in placed)


def _turned(examples: pl.DataFrame, known: Mapping[str, Known]) -> Iterator[Turned]:
    """The examples whose first statement is bound to something and whose second has something to give.

    Either way round, the most alike pairs first.
    """
    bound = [id_ for id_, each in known.items() if each.bound]
    giving = [id_ for id_, each in known.items() if each.slots]
    columns = [pl.col(name).list.get(side).alias(f"{name}{side}") for name in ("ids", "licences") for side in (0, 1)]
    flat = examples.select("split", "similarity", "example_id", *columns)
    useful = pl.col("ids0").is_in(giving) & pl.col("ids1").is_in(giving)
    useful &= pl.col("ids0").is_in(bound) | pl.col("ids1").is_in(bound)
    found = flat.filter(useful).sort(-pl.col("similarity"), "example_id").drop("similarity", "example_id")
    for split, left, right, first, second in found.iter_rows():
        yield Turned(split, left, right, (first, second))
        yield Turned(split, right, left, (second, first))


def _rows(turned: Iterable[Turned], known: Mapping[str, Known], taken: set[str]) -> Iterator[tuple[object, ...]]:
    """Both rows of each statement, of the first pair that gives it a twin whose text is not taken."""
    done: set[str] = set()
    for split, left, right, licences in turned:
        mine = known[left]
        made = None if left in done else twin(mine, known[right])
        if made is None or squashed(made.text) in taken or squashed(mine.text) in done:
            continue
        done |= {left, squashed(mine.text)}
        taken.add(squashed(made.text))
        context, was, now = made.slot.context.value, made.slot.text, made.given.text
        yield left, mine.text, True, context, was, was, [left], [licences[0]], split
        yield f"{left}~{right}", made.text, False, context, now, was, [left, right], list(licences), split


BOOLQA = Configuration(
    name="boolqa",
    title="true or false",
    meaning="Statements to judge: true as its source has it, or false because its place or time was swapped.",
    fields=FIELDS,
    rows=rows,
    folder="boolqa",
)
