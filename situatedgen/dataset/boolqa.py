"""The configuration `boolqa`: true statements, and copies made false by swapping in another place or time."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

from situatedgen.dataset.configuration import Configuration, Field, Tables
from situatedgen.rules.places import is_elsewhere, nations, takes_article
from situatedgen.rules.splits import NOT_A_WORD
from situatedgen.rules.text import MONTHS, WEEKDAYS
from situatedgen.vocabulary import GEO_LABELS, TEMP_LABELS, Context, Label, Verdict

# Minimum distance between two times of a kind for a statement about one to be unlikely to hold for the other.
APART = {"year": 30.0, "decade": 30.0, "century": 2.0, "month": 4.0, "weekday": 1.0, "season": 2.0}
CYCLES = {"month": 12, "weekday": 7, "season": 4}
# Spring and autumn are left out because they have similar weather, so many statements hold for both.
SEASONS = {"winter": 0, "summer": 2}
_YEAR = re.compile(r"(?:1\d|20)\d\d")
_DECADE = re.compile(r"the ((?:1\d|20)\d0)['’]?s")
_CENTURY = re.compile(r"the (?:early |late |mid[ -])?(\d{1,2})(?:st|nd|rd|th) [Cc]entury")
_SEASON = re.compile(r"(?:the )?(winter|summer)(?: months)?")


@dataclass(frozen=True, slots=True)
class Moment:
    """A point in time: its kind (year, month, ...) and its value on that scale."""

    kind: str
    value: float

    def is_apart(self, other: "Moment") -> bool:
        """Whether two times are of the same kind and far apart; cyclic kinds wrap, so January is near December."""
        if self.kind != other.kind:
            return False
        gap, cycle = abs(self.value - other.value), CYCLES.get(self.kind)
        return (min(gap, cycle - gap) if cycle else gap) >= APART[self.kind]


def moment(text: str) -> Moment | None:
    """Parse a text that consists of a time of a known kind; None for any other text.

    Example:
        >>> moment("the 1920s"), moment("two years")
        (Moment(kind='decade', value=1920.0), None)
    """
    if _YEAR.fullmatch(text):
        return Moment("year", float(text))
    for kind, pattern in (("decade", _DECADE), ("century", _CENTURY)):
        if found := pattern.fullmatch(text):
            return Moment(kind, float(found[1]))
    if found := _SEASON.fullmatch(text):
        return Moment("season", float(SEASONS[found[1]]))
    for kind, names in (("month", MONTHS), ("weekday", WEEKDAYS)):
        if text in names:
            return Moment(kind, float(names.index(text)))
    return None


PLACED = ("in", "of", "from")
TIMED = ("in", "on", "during")
_BEFORE = re.compile(r"(?:^|(?<=[\s(]))(?P<preposition>[A-Za-z]+) (?P<article>the )?$")
_AFTER = re.compile(
    r"[.,;!]|$| (?:and|as|at|by|during|for|from|in|on|to|when|where|which|while|who|with|is|was|are|were|has|had)\b"
)
# "the state of …" determines which kind of place must follow.
_KIND = re.compile(r"\b(?:area|city|country|island|kingdom|nation|province|state|town)s? of (?:the )?$")
# If one of these follows, the place is the first part of a longer name or of a list.
_GOES_ON = re.compile(r",? (?:and|or|to) |, [A-Z]")


@dataclass(frozen=True, slots=True)
class Named:
    """A keyword of a statement: half-open character offsets, and its label if it is an entity."""

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


@dataclass(frozen=True, slots=True)
class Slot:
    """A place or time after a preposition: its offsets (article included), and the country or moment it denotes.

    Such a noun phrase is no subject, does not open a sentence and does not follow `a` or `an`, so another one of its
    kind fits unchanged, whatever its number, capitalisation or first sound.
    """

    start: int
    end: int
    text: str
    preposition: str
    context: Context
    what: str | Moment

    def takes(self, other: "Slot") -> bool:
        """Whether the content of another slot fits here and is far from this slot's own content."""
        if isinstance(self.what, Moment) and isinstance(other.what, Moment):
            return self.preposition == other.preposition and self.what.is_apart(other.what)
        if isinstance(self.what, str) and isinstance(other.what, str):
            return is_elsewhere(self.what, other.what)
        return False


def slots(text: str, words: Sequence[Named]) -> tuple[Slot, ...]:
    """The places and times of a statement that can be swapped, in order."""
    return tuple(slot for word in words if word.is_place or word.is_time for slot in _slot(text, word))


def swap(text: str, slot: Slot, given: Slot) -> str:
    """Replace the content of a slot in a text with the content of another slot.

    Example:
        >>> from situatedgen.vocabulary import Label
        >>> lima = slots("Lima is in Peru.", [Named(11, 15, Label.GPE)])[0]
        >>> rome = slots("Rome is in Italy.", [Named(11, 16, Label.GPE)])[0]
        >>> swap("Lima is in Peru.", lima, rome)
        'Lima is in Italy.'
    """
    return f"{text[: slot.start]}{given.text}{text[slot.end :]}"


def _slot(text: str, word: Named) -> Iterator[Slot]:
    start = word.start + 4 if text[word.start : word.end].startswith("the ") else word.start
    before, name = _BEFORE.search(text[:start]), text[start : word.end]
    if (
        before is None
        or not _AFTER.match(text, word.end)
        or _GOES_ON.match(text, word.end)
        or _KIND.search(text[:start])
    ):
        return
    preposition, article = before["preposition"].lower(), before["article"] or ""
    found = _country_or_moment(f"{article}{name}", name, word, preposition)
    if found is not None and (isinstance(found, Moment) or bool(article) == takes_article(name)):
        context = Context.TEMP if isinstance(found, Moment) else Context.GEO
        yield Slot(start - len(article), word.end, f"{article}{name}", preposition, context, found)


def _country_or_moment(text: str, name: str, word: Named, preposition: str) -> str | Moment | None:
    """The country of a place or the moment of a time; None if unknown."""
    if word.is_place and preposition in PLACED:
        return nations().get(name)
    if word.is_time and preposition in TIMED:
        return moment(text)
    return None


# Named things are bound to few places and times; kinds of things occur in many.
NAMED = frozenset(
    {Label.PERSON, Label.ORG, Label.FAC, Label.LOC, Label.EVENT, Label.WORK_OF_ART, Label.PRODUCT, Label.GPE}
)
# Negation, hedging, comparison and quantifiers, and activities that are not tied to a single place.
_LOOSE = re.compile(
    r"\b(?:not|no|never|nor|neither|without|cannot|\w+n['’]t|can|could|would|should|may|might|must|will|if|or|unless|but"
    r"|likely|unlikely|possible|possibly|probably|perhaps|usually|often|sometimes|generally|frequently|commonly"
    r"|some|any|many|most|several|various|multiple|different|other|others|another|all|every|each|everywhere|anywhere"
    r"|popular|famous|known|similar\w*|like|than|more|less|fewer|both|outside|near|around|between|before|after|since"
    r"|until|only|one|visit\w*|travel\w*|tour\w*|fans|popularity|want\w*|there|members?|influenced?|role|roll|concerts?"
    r"|perform\w*|produc\w+|manufactur\w+|broadcast\w*|works?|worked|knows?|lot|sells?|sold|flies|flights?|fly|exists?|operat\w+|acts|sun|moon|earth|north|south|east|west"
    r"|you|your|i|people|someone|anyone|somebody|person|he|she|they|it|his|her|their)\b",
    re.IGNORECASE,
)
_PARTICIPLE = re.compile(
    r"\b(\w+) (?:born|based|built|celebrated|created|found|founded|held|invented|located|made|written)\b"
)
# A statement that has none of these outside its keywords is usually a fragment, not a sentence.
_VERB = re.compile(
    r"\b(?:am|are|be|been|is|was|were|has|have|had|do|does|did|\w+ed|\w{2,}s|became|began|broke|brought|built|came|fell"
    r"|fought|gave|got|grew|held|hit|knew|lay|led|left|lie|live|lost|made|meet|met|ran|reside|rose|sang|sank|saw|sent"
    r"|set|shot|spent|spoke|stood|taught|threw|took|went|won|wore|wrote)\b"
)
# "A ..." is about a kind, "Jill is in a shop" about nobody in particular; "a influential", "Presidents of" are errors.
_ODD = re.compile(
    r"^an? |\bis in an? |\ba (?!uni|us|eu|one)[aeiou]\w|\b(?:ministers|presidents) of\b|\bhas with\b", re.I
)
# Phrases before the preposition that hold for a single place or time only: an event, a birth, an office.
_HAPPENED = r"took place|happened|occurred|began|started|ended|was (?:born|founded|established|built|held|killed)|died"
_PLACED = re.compile(
    rf"\b(?:{_HAPPENED}|is|are|was|were|lies|sits|stands|originated|grew up|raised|buried|comes?|came"
    r"|(?:is|are|was|were) (?:located|situated|based|headquartered|built|found)"
    r"|(?:is|was) (?:an?|the) (?:[\w-]+ ){0,3}"
    r"(?:city|town|village|river|lake|mountain|county|state|island|newspaper|university)"
    r"|capital(?: city)?|president|prime minister|premier|chancellor|governor|senator|emperor|king|queen|mayor|leader"
    r"|first lady) (?:in|of|from) (?:the )?$",
    re.IGNORECASE,
)
_TIMED = re.compile(
    rf"\b(?:{_HAPPENED}|debuted|opened|closed|aired|came out|was (?:released|published|signed|assassinated|discovered)"
    r"|(?:married|won|joined|left|became|ran for|published|discovered|established|invaded|ruled over|reigned)\b[^,;]*)"
    r" (?:in|on|during) $",
    re.IGNORECASE,
)
_BE = frozenset({"am", "are", "be", "been", "being", "is", "was", "were", "and"})


def is_bound(text: str, slot: Slot, words: Sequence[Named]) -> bool:
    """Whether a statement would become false with a distant place or time in its slot.

    That holds if it plainly states where a named thing is, when it happened or which office it holds, or which months
    and holidays fall in a season.
    """
    is_loose = _LOOSE.search(text, 0, slot.start) or _LOOSE.search(text, slot.end)
    is_plain = not is_loose and not _ODD.search(text) and not _lacks_verb(text, words)
    return is_plain and _is_tied(text, slot, words)


def _lacks_verb(text: str, words: Sequence[Named]) -> bool:
    """Whether a text has no verb, or a participle without an auxiliary ("Elton John born in England")."""
    if any(before.lower() not in _BE for before in _PARTICIPLE.findall(text)):
        return True
    ends = [0, *(word.end for word in words)]
    starts = [*(word.start for word in words), len(text)]
    return not any(_VERB.search(text, end, start) for end, start in zip(ends, starts, strict=True))


def _names_something(text: str, slot: Slot, word: Named) -> bool:
    """Whether a keyword outside the slot is the name of something."""
    if word.start >= slot.start and word.end <= slot.end:
        return False
    return word.label in NAMED or (word.label is None and word.start > 0 and text[word.start].isupper())


def _is_tied(text: str, slot: Slot, words: Sequence[Named]) -> bool:
    """Whether the phrase right before the slot holds for a single place or time only."""
    if isinstance(slot.what, Moment) and slot.what.kind == "season":
        return any(word.is_time and word.end <= slot.start for word in words)
    pattern = _TIMED if isinstance(slot.what, Moment) else _PLACED
    is_said = pattern.search(text, 0, slot.start)
    return bool(is_said) and any(_names_something(text, slot, word) for word in words)


TEXTS = pl.List(pl.String)
FIELDS = {
    "id": Field(pl.String(), "the id of the statement; a false one also has the id of the statement it swapped with"),
    "statement": Field(pl.String(), "the statement to judge"),
    "label": Field(pl.Boolean(), "whether it is true"),
    "context": Field(pl.String(), "whether its truth depends on a place (`GEO`) or a time (`TEMP`)"),
    "span": Field(pl.String(), "the place or time in the statement"),
    "true_span": Field(pl.String(), "the place or time that makes it true"),
    "ids": Field(TEXTS, "the ids of the statements it was made from"),
    "licences": Field(TEXTS, "their licences, in the same order"),
}
SCHEMA = {name: field.dtype for name, field in FIELDS.items()} | {"split": pl.String()}


@dataclass(frozen=True, slots=True)
class Known:
    """A statement with its swappable places and times (`slots`), and those that its truth depends on (`bound`)."""

    text: str
    slots: tuple[Slot, ...]
    bound: tuple[Slot, ...]


@dataclass(frozen=True, slots=True)
class FalseCopy:
    """A statement with another statement's place or time: the replaced slot and the slot it was filled from."""

    text: str
    slot: Slot
    given: Slot


class OrderedPair(NamedTuple):
    """A pair in one of its two orders, with its split and licences."""

    split: str
    left: str
    right: str
    licences: tuple[str, str]


def boolqa_rows(tables: Tables) -> pl.DataFrame:
    """One true and one false row for each statement that has a false twin, sorted by id.

    No text occurs twice, and no text that is itself a source statement is labelled false.
    """
    examples, statements = tables["examples"], tables["statements"]
    kept = statements.filter(pl.col("verdict") == Verdict.KEPT)
    known = {
        id_: read(text, words) for id_, text, words in _statements_with_keywords(examples, kept, tables["keywords"])
    }
    taken = _squash_all(kept["text"])
    made = list(_rows(_both_orders(examples, known), known, taken))
    return pl.DataFrame(made, schema=SCHEMA, orient="row").sort("id")


def read(text: str, words: Sequence[Named]) -> Known:
    """Find the places and times of a statement."""
    found = slots(text, words)
    return Known(text, found, tuple(slot for slot in found if is_bound(text, slot, words)))


def make_false(left: Known, right: Known) -> FalseCopy | None:
    """Make a statement false by swapping in a place or time of another one; None if no grammatical swap exists.

    If several places or times fit, the first is used.
    """
    for own in left.bound:
        for given in right.slots:
            if own.takes(given):
                return FalseCopy(swap(left.text, own, given), own, given)
    return None


def squash(text: str) -> str:
    """Normalise a text for comparison: drop case, punctuation and spaces.

    Example:
        >>> squash("It's in Peru.") == squash("It’s in PERU")
        True
    """
    return NOT_A_WORD.sub("", unicodedata.normalize("NFKC", text).lower())


def squash_texts(texts: pl.Expr) -> pl.Expr:
    """`squash` as a Polars expression."""
    return _fold(texts.str.normalize("NFKC"))


def _fold(texts: pl.Expr) -> pl.Expr:
    return texts.str.to_lowercase().str.replace_all(r"[^\p{L}\p{N}]+", "")


def _squash_all(texts: pl.Series) -> set[str]:
    """Set of squashed texts; ASCII texts (nearly all) skip Unicode normalisation, which is the slowest step."""
    is_ascii = texts.str.len_bytes() == texts.str.len_chars()
    parts = (_fold(pl.lit(texts.filter(is_ascii))), squash_texts(pl.lit(texts.filter(~is_ascii))))
    return {text for part in parts for text in pl.select(part).to_series().to_list()}


def _statements_with_keywords(
    examples: pl.DataFrame, kept: pl.DataFrame, keywords: pl.DataFrame
) -> Iterator[tuple[str, str, tuple[Named, ...]]]:
    """Yield the id, text and keywords of each statement that occurs in an example."""
    used = examples.select(statement_id=pl.col("ids").explode(empty_as_null=False)).unique()
    spans = keywords.join(used, on="statement_id", how="semi").sort("statement_id", "start")
    grouped = spans.group_by("statement_id").agg("start", "end", pl.col("label").cast(pl.String))
    full = kept.select("statement_id", "text").join(grouped, on="statement_id").sort("statement_id")
    for id_, text, starts, ends, labels in full.select("statement_id", "text", "start", "end", "label").iter_rows():
        placed = zip(starts, ends, labels, strict=True)
        yield id_, text, tuple(Named(start, end, Label(label) if label else None) for start, end, label in placed)


def _both_orders(examples: pl.DataFrame, known: Mapping[str, Known]) -> Iterator[OrderedPair]:
    """Yield useful examples in both orders, the most similar pairs first.

    In a useful example, both statements have slots and at least one of them has a bound slot.
    """
    bound = [id_ for id_, each in known.items() if each.bound]
    giving = [id_ for id_, each in known.items() if each.slots]
    columns = [pl.col(name).list.get(side).alias(f"{name}{side}") for name in ("ids", "licences") for side in (0, 1)]
    flat = examples.select("split", "similarity", "example_id", *columns)
    useful = pl.col("ids0").is_in(giving) & pl.col("ids1").is_in(giving)
    useful &= pl.col("ids0").is_in(bound) | pl.col("ids1").is_in(bound)
    found = flat.filter(useful).sort(-pl.col("similarity"), "example_id").drop("similarity", "example_id")
    for split, left, right, first, second in found.iter_rows():
        yield OrderedPair(split, left, right, (first, second))
        yield OrderedPair(split, right, left, (second, first))


def _rows(turned: Iterable[OrderedPair], known: Mapping[str, Known], taken: set[str]) -> Iterator[tuple[object, ...]]:
    """Yield both rows of each statement, from the first pair that yields a twin with a new text."""
    done: set[str] = set()
    for split, left, right, licences in turned:
        mine = known[left]
        made = None if left in done else make_false(mine, known[right])
        if made is None or squash(made.text) in taken or squash(mine.text) in done:
            continue
        done |= {left, squash(mine.text)}
        taken.add(squash(made.text))
        context, was, now = made.slot.context.value, made.slot.text, made.given.text
        yield left, mine.text, True, context, was, was, [left], [licences[0]], split
        yield f"{left}~{right}", made.text, False, context, now, was, [left, right], list(licences), split


BOOLQA = Configuration(
    name="boolqa",
    title="true or false",
    meaning="Statements to judge: either true as in the source, or false because the place or time was swapped.",
    fields=FIELDS,
    rows=boolqa_rows,
    folder="boolqa",
)
