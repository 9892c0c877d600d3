"""The rows of a corpus: context, noun phrase and ending, and why other texts of it gave none."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import polars as pl

from situatedgen.filtering.committee.words import UNKNOWN
from situatedgen.filtering.oversampling.fates import EndingFate, RowFate
from situatedgen.filtering.oversampling.grammar import fault
from situatedgen.filtering.oversampling.grouping import grouped
from situatedgen.filtering.oversampling.params import RowParams
from situatedgen.filtering.oversampling.reading import Given
from situatedgen.filtering.oversampling.splitting import Parts, split
from situatedgen.filtering.oversampling.vocabulary import Vocabulary, Word, vocabulary
from situatedgen.models.roles import Parser
from situatedgen.records import Token
from situatedgen.schemas import TEXT, Schema

MARKS = frozenset(".!?…,;:\"'”’-")
ROWS = Schema(
    {
        "row_id": TEXT,
        "group": TEXT,
        "context": TEXT,
        "noun_phrase": TEXT,
        "ending": TEXT,
        "verdict": pl.Enum([fate.value for fate in RowFate]),
    },
    key=("row_id",),
)
"""A text that has no clause is all context."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row: its texts, its words before the ending and in it, and what becomes of it.

    `start` is the word at which the noun phrase begins. An ending is without the mark at its end. Rows of one
    group are never in two folds.
    """

    row_id: str
    group: str
    context: str
    noun_phrase: str
    ending: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    start: int = 0
    fate: RowFate = RowFate.KEPT

    @property
    def own(self) -> tuple[str, ...]:
        """The words of the noun phrase and the ending, in small letters."""
        return lower((*self.before[self.start :], *self.after))

    @property
    def key(self) -> tuple[str, ...]:
        """What tells a row from others: its words in small letters."""
        return lower((*self.before, "", *self.after))


@dataclass(frozen=True)
class Corpus:
    """All rows, the words of texts that gave none, and the words that are not rare in all of them."""

    everything: tuple[Row, ...]
    others: tuple[tuple[str, ...], ...]
    words: Vocabulary

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The rows that are kept."""
        return tuple(row for row in self.everything if row.fate is RowFate.KEPT)

    @cached_property
    def digest(self) -> str:
        """A digest of all that language models may learn from."""
        rows = ("\x1e".join((row.row_id, row.group, *row.key)) for row in self.rows)
        others = ("\x1e".join(words) for words in self.others)
        return hashlib.sha256("\x1f".join((*rows, "\x1d", *others)).encode("utf-8")).hexdigest()

    @property
    def table(self) -> pl.DataFrame:
        """All rows, with what became of each."""
        told = [(r.row_id, r.group, r.context, r.noun_phrase, r.ending, r.fate.value) for r in self.everything]
        return ROWS.frame(told)


def corpus(given: Sequence[Given], parser: Parser, params: RowParams, *, size: int) -> Corpus:
    """The rows of texts: those with a subject and a verb phrase, neither short, long nor of rare words, each once.

    Words are rare that are not among the commonest ones, up to that size.
    """
    parses = parser.parse([one.text for one in given])
    texts = [_words(one.text, tokens) for one, tokens in zip(given, parses, strict=True)]
    found = [row for one, tokens in zip(given, parses, strict=True) for row in _rows(one, tokens)]
    words = vocabulary(texts, min_count=params.min_count, size=size)
    rows = grouped(sorted(_checked(_judged(found, words, params), parser), key=lambda row: row.row_id))
    return Corpus(tuple(rows), tuple(_others(rows)), words)


def lower(words: Sequence[str]) -> tuple[str, ...]:
    """Words in small letters."""
    return tuple(word.lower() for word in words)


def _words(text: str, tokens: Sequence[Token]) -> tuple[Word, ...]:
    ends = [0, *(token.end for token in tokens)]
    return tuple(
        Word(text[token.start : token.end], is_apart=token.start > ends[number], is_first=number == 0)
        for number, token in enumerate(tokens)
    )


def _rows(given: Given, tokens: Sequence[Token]) -> Iterator[Row]:
    """The rows of a text; one that has no clause gives one without an ending."""
    found = [_at(tokens, *given.at)] if given.at else list(split(tokens))
    for number, parts in enumerate(found):
        yield _row(f"{given.given_id}-{number}" if len(found) > 1 else given.given_id, given, tokens, parts)
    if not found:
        words = tuple(given.text[token.start : token.end] for token in tokens)
        yield Row(given.given_id, given.group, given.text, "", "", words, (), fate=RowFate.NO_CLAUSE)


def _at(tokens: Sequence[Token], noun_phrase: int, ending: int) -> Parts:
    """Parts whose beginnings are told as characters."""
    first, second = (sum(token.start < place for token in tokens) for place in (noun_phrase, ending))
    return Parts(0, first, second, len(tokens))


def _row(row_id: str, given: Given, tokens: Sequence[Token], parts: Parts) -> Row:
    texts = [given.text[token.start : token.end] for token in tokens]
    end = parts.end
    while end > parts.ending + 1 and set(texts[end - 1]) <= MARKS:
        end -= 1
    context = given.text[tokens[parts.context].start : tokens[parts.noun_phrase].start].strip()
    noun_phrase = given.text[tokens[parts.noun_phrase].start : tokens[parts.ending - 1].end]
    ending = given.text[tokens[parts.ending].start : tokens[end - 1].end]
    before, after = tuple(texts[parts.context : parts.ending]), tuple(texts[parts.ending : end])
    return Row(row_id, given.group, context, noun_phrase, ending, before, after, parts.noun_phrase - parts.context)


def _judged(rows: Sequence[Row], words: Vocabulary, params: RowParams) -> Iterator[Row]:
    seen = set[tuple[str, ...]]()
    for row in rows:
        fate = row.fate if row.fate is not RowFate.KEPT else _fate(row, words, params)
        if fate is RowFate.KEPT and row.key in seen:
            fate = RowFate.REPEATED
        seen.add(row.key)
        yield replace(row, fate=fate)


def _fate(row: Row, words: Vocabulary, params: RowParams) -> RowFate:
    """The first rule of section 2 that a row breaks; its noun phrase and ending are asked, its context is not."""
    if len(row.own) < params.min_words:
        return RowFate.SHORT
    if len(row.after) > params.max_words:
        return RowFate.LONG
    return RowFate.RARE if UNKNOWN in words.numbers(row.own) else RowFate.KEPT


def _checked(rows: Iterator[Row], parser: Parser) -> Iterator[Row]:
    """Rows, of which those are out whose ending is no verb phrase when it stands alone with its noun phrase."""
    known = list(rows)
    kept = [row for row in known if row.fate is RowFate.KEPT]
    parses = parser.parse([sentence(row.noun_phrase, row.ending) for row in kept])
    out = {
        row.row_id
        for row, tokens in zip(kept, parses, strict=True)
        if fault(sentence(row.noun_phrase, row.ending), tokens, len(row.noun_phrase) + 1) is EndingFate.NO_VERB_PHRASE
    }
    for row in known:
        yield replace(row, fate=RowFate.NO_VERB_PHRASE) if row.row_id in out else row


def sentence(noun_phrase: str, ending: str) -> str:
    """A noun phrase and an ending as a sentence."""
    return f"{noun_phrase} {ending}."


def _others(rows: Sequence[Row]) -> Iterator[tuple[str, ...]]:
    """The words of texts that gave no row, but for those in which the ending of a row stands."""
    endings = {lower(row.after) for row in rows if row.fate is RowFate.KEPT}
    lengths = sorted({len(ending) for ending in endings})
    seen = set[tuple[str, ...]]()
    for row in rows:
        words = lower((*row.before, *row.after))
        if row.fate in (RowFate.KEPT, RowFate.REPEATED) or words in seen or _holds(words, endings, lengths):
            continue
        seen.add(words)
        yield words


def _holds(words: tuple[str, ...], endings: set[tuple[str, ...]], lengths: Sequence[int]) -> bool:
    return any(
        words[start : start + length] in endings for length in lengths for start in range(len(words) - length + 1)
    )
