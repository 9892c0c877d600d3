"""The configuration `boolqa`: true statements, and the same with a place or time that makes them false."""

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

# How far two times of a kind must lie apart before what is true of one is hardly true of the other.
APART = {"year": 30.0, "decade": 30.0, "century": 2.0, "month": 4.0, "weekday": 1.0, "season": 2.0}
CYCLES = {"month": 12, "weekday": 7, "season": 4}
# Spring and autumn share their weather, so that much holds for both.
SEASONS = {"winter": 0, "summer": 2}
_YEAR = re.compile(r"(?:1\d|20)\d\d")
_DECADE = re.compile(r"the ((?:1\d|20)\d0)['’]?s")
_CENTURY = re.compile(r"the (?:early |late |mid[ -])?(\d{1,2})(?:st|nd|rd|th) [Cc]entury")
_SEASON = re.compile(r"(?:the )?(winter|summer)(?: months)?")


@dataclass(frozen=True, slots=True)
class Moment:
    """A time: what kind it is, and where among its kind."""

    kind: str
    value: float

    def is_apart(self, other: "Moment") -> bool:
        """Whether two times are of one kind and far apart; January is near December."""
        if self.kind != other.kind:
            return False
        gap, cycle = abs(self.value - other.value), CYCLES.get(self.kind)
        return (min(gap, cycle - gap) if cycle else gap) >= APART[self.kind]


def moment(text: str) -> Moment | None:
    """The time that a text names, where it is of a known kind and of nothing else.

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
# "the state of …" says which kind of place must follow.
_KIND = re.compile(r"\b(?:area|city|country|island|kingdom|nation|province|state|town)s? of (?:the )?$")
# Where a sentence goes on with one of these, a place is the first part of a longer name or of a list.
_GOES_ON = re.compile(r",? (?:and|or|to) |, [A-Z]")


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


@dataclass(frozen=True, slots=True)
class Slot:
    """A place or time behind a preposition: its offsets with its article, and what it is.

    Such a noun phrase governs no verb, opens no sentence and follows no `a` or `an`: another one of its kind fits as
    it is, whatever its number, its capital or its first sound.
    """

    start: int
    end: int
    text: str
    preposition: str
    context: Context
    what: str | Moment

    def takes(self, other: "Slot") -> bool:
        """Whether what stands in another slot fits here, and is far from what stands here."""
        if isinstance(self.what, Moment) and isinstance(other.what, Moment):
            return self.preposition == other.preposition and self.what.is_apart(other.what)
        if isinstance(self.what, str) and isinstance(other.what, str):
            return is_elsewhere(self.what, other.what)
        return False


def slots(text: str, words: Sequence[Named]) -> tuple[Slot, ...]:
    """The places and times of a statement that can be swapped, in order."""
    return tuple(slot for word in words if word.is_place or word.is_time for slot in _slot(text, word))


def swap(text: str, slot: Slot, given: Slot) -> str:
    """The text with what stands in a slot replaced by what stands in another.

    Example:
        >>> from situatedgen.vocabulary import Label
        >>> lima = slots("Lima is in Peru.", [Named(11, 15, Label.GPE)])[0]
        >>> rome = slots("Rome is in Italy.", [Named(11, 16, Label.GPE)])[0]
        >>> swapped("Lima is in Peru.", lima, rome)
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
    found = _what(f"{article}{name}", name, word, preposition)
    if found is not None and (isinstance(found, Moment) or bool(article) == takes_article(name)):
        context = Context.TEMP if isinstance(found, Moment) else Context.GEO
        yield Slot(start - len(article), word.end, f"{article}{name}", preposition, context, found)


def _what(text: str, name: str, word: Named, preposition: str) -> str | Moment | None:
    """The country of a place, or the moment of a time; nothing where either is not known."""
    if word.is_place and preposition in PLACED:
        return nations().get(name)
    if word.is_time and preposition in TIMED:
        return moment(text)
    return None


# What has a name is in few places and times; a kind of thing is in many.
NAMED = frozenset(
    {Label.PERSON, Label.ORG, Label.FAC, Label.LOC, Label.EVENT, Label.WORK_OF_ART, Label.PRODUCT, Label.GPE}
)
# Words by which a statement denies, guesses, compares or speaks of many; and doings that are not tied to one place.
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
# A statement without one of these, outside its keywords, is a fragment more often than a sentence.
_VERB = re.compile(
    r"\b(?:am|are|be|been|is|was|were|has|have|had|do|does|did|\w+ed|\w{2,}s|became|began|broke|brought|built|came|fell"
    r"|fought|gave|got|grew|held|hit|knew|lay|led|left|lie|live|lost|made|meet|met|ran|reside|rose|sang|sank|saw|sent"
    r"|set|shot|spent|spoke|stood|taught|threw|took|went|won|wore|wrote)\b"
)
# What opens with "A" speaks of a kind; "Jill is in a shop" of nobody; "a influential", "Presidents of" are slips.
_ODD = re.compile(
    r"^an? |\bis in an? |\ba (?!uni|us|eu|one)[aeiou]\w|\b(?:ministers|presidents) of\b|\bhas with\b", re.I
)
# What holds of one place or time alone, as it stands right before the preposition: an event, a birth, an office.
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
    """Whether a statement would be false with a far place or time in its slot.

    It says plainly, of a thing that has a name, where it is, when it happened or what office it has; or it says which
    months and feasts fall in a season.
    """
    is_loose = _LOOSE.search(text, 0, slot.start) or _LOOSE.search(text, slot.end)
    is_plain = not is_loose and not _ODD.search(text) and not _lacks_verb(text, words)
    return is_plain and _is_tied(text, slot, words)


def _lacks_verb(text: str, words: Sequence[Named]) -> bool:
    """Whether a text has no verb, or a participle without its auxiliary: "Elton John born in England"."""
    if any(before.lower() not in _BE for before in _PARTICIPLE.findall(text)):
        return True
    ends = [0, *(word.end for word in words)]
    starts = [*(word.start for word in words), len(text)]
    return not any(_VERB.search(text, end, start) for end, start in zip(ends, starts, strict=True))


def _names(text: str, slot: Slot, word: Named) -> bool:
    """Whether a word outside the slot names something."""
    if word.start >= slot.start and word.end <= slot.end:
        return False
    return word.label in NAMED or (word.label is None and word.start > 0 and text[word.start].isupper())


def _is_tied(text: str, slot: Slot, words: Sequence[Named]) -> bool:
    """Whether what is said right before the slot holds of one place or time alone."""
    if isinstance(slot.what, Moment) and slot.what.kind == "season":
        return any(word.is_time and word.end <= slot.start for word in words)
    pattern = _TIMED if isinstance(slot.what, Moment) else _PLACED
    is_said = pattern.search(text, 0, slot.start)
    return bool(is_said) and any(_names(text, slot, word) for word in words)


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


def boolqa_rows(tables: Tables) -> pl.DataFrame:
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
                return Twin(swap(left.text, own, given), own, given)
    return None


def squash(text: str) -> str:
    """A text as it is compared: without case, punctuation and spaces.

    Example:
        >>> squashed("It's in Peru.") == squashed("It’s in PERU")
        True
    """
    return NOT_A_WORD.sub("", unicodedata.normalize("NFKC", text).lower())


def squash_texts(texts: pl.Expr) -> pl.Expr:
    """The same for many texts at once."""
    return _bare(texts.str.normalize("NFKC"))


def _bare(texts: pl.Expr) -> pl.Expr:
    return texts.str.to_lowercase().str.replace_all(r"[^\p{L}\p{N}]+", "")


def _taken(texts: pl.Series) -> set[str]:
    """Texts as they are compared; to normalise takes longer than all else, and nearly all are of ASCII."""
    is_ascii = texts.str.len_bytes() == texts.str.len_chars()
    parts = (_bare(pl.lit(texts.filter(is_ascii))), squash_texts(pl.lit(texts.filter(~is_ascii))))
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
    meaning="Statements to judge: true as its source has it, or false because its place or time was swapped.",
    fields=FIELDS,
    rows=boolqa_rows,
    folder="boolqa",
)
