"""All ways to regroup the keywords of two statements by exchanging some between them."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import TypeAlias

from situatedgen.rules.keywords import Keyword
from situatedgen.rules.text import MONTHS, WEEKDAYS
from situatedgen.vocabulary import GEO_LABELS, TEMP_LABELS, Label

_MONTH, _DAY = "|".join(MONTHS), "|".join(WEEKDAYS)
# The first pattern that matches decides the shape.
_SHAPES = tuple(
    (name, re.compile(pattern, re.I))
    for name, pattern in (
        ("age", r"\b(?:century|centuries|era|period|age|ages|dynasty|epoch|decade)\b|\d0'?s$|\b\w+ties$"),
        ("duration", r"\b(?:seconds?|minutes?|hours?|days|weeks?|months|years?|decades|centuries)\b"),
        ("clock", r"\b\d{1,2}(?::\d\d)? ?(?:[ap]\.?m\.?|o'clock)|\b(?:noon|midnight)\b"),
        ("date", rf"\b(?:{_MONTH})\b.*\d|\d.*\b(?:{_MONTH})\b"),
        ("month", rf"\b(?:{_MONTH})\b"),
        ("weekday", rf"\b(?:{_DAY})s?\b"),
        ("season", r"\b(?:spring|summer|autumn|fall|winter)\b"),
        ("part of day", r"\b(?:morning|afternoon|evening|night|nights|day|daytime|nighttime)\b"),
        ("year", r"\b\d{3,4}\b"),
        ("event", r"\b(?:war|day|battle|olympics|revolution|christmas|easter|halloween|thanksgiving)\b"),
    )
)


def time_shape(text: str) -> str:
    """The shape of a time expression; `other` if unknown.

    Example:
        >>> [time_shape(text) for text in ("1962", "the eighties", "July", "365 days", "the winter")]
        ['year', 'age', 'month', 'duration', 'season']
    """
    return next((name for name, pattern in _SHAPES if pattern.search(text)), "other")


_HEDGES = re.compile(r"\b(?:the|an?|about|approximately|around|roughly|nearly|early|late|mid)\b[ -]?", re.I)
_NUMBER_WORDS = {
    word: str(number)
    for number, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), 1)
}
_YEARS = (
    (re.compile(r"\b(\d{3,4})\b(?!['’]?s)"), 1, 0, 1),
    (re.compile(r"\b(\d{3}0)['’]?s\b"), 1, 0, 10),
    (re.compile(r"(?<!\d)['’]?(\d0)['’]?s\b"), 1, 1900, 10),
    (re.compile(r"\b(\d{1,2})(?:st|nd|rd|th) centur", re.I), 100, -100, 100),
)


def is_one_time(left: str, right: str) -> bool:
    """Whether two time expressions mean the same, or their years overlap.

    Example:
        >>> is_one_time("about 1 year", "one year"), is_one_time("the 80s", "the late 20th century")
        (True, True)
        >>> is_one_time("1794", "2005"), is_one_time("July", "May")
        (False, False)
    """
    if _normalise_time(left) == _normalise_time(right):
        return True
    (start, end), (other_start, other_end) = years(left), years(right)
    return start < other_end and other_start < end


def years(text: str) -> tuple[int, int]:
    """Half-open range of years that a time expression covers; (0, 0) if unknown.

    Example:
        >>> years("the 60s"), years("1962"), years("the 19th century"), years("July")
        ((1960, 1970), (1962, 1963), (1800, 1900), (0, 0))
    """
    for pattern, times, added, length in _YEARS:
        if found := pattern.search(text):
            start = times * int(found[1]) + added
            return start, start + length
    return 0, 0


def _normalise_time(text: str) -> str:
    """A time expression without articles and hedges such as "about", and with number words as digits."""
    return " ".join(_NUMBER_WORDS.get(word, word) for word in _HEDGES.sub("", text.lower()).split())


PLACE, TIME, NOUN = "place", "time", "noun"
_ARTICLE = re.compile(r"\b(?:the|an?) $", re.I)
_OPENS = re.compile(r"(?:the|an?) ", re.I)
# "In America, Hanoi was …": after such an opening, what follows the comma is another place.
_FRONTED = re.compile(r"(?:in|at|from|near|throughout|across) (?:the )?$", re.I)
_BEFORE = re.compile(r"([\w'’-]+|[^\w\s])\s*$")
_ABBREVIATION = re.compile(r"\b[A-Z]\.\s*$")
_NUMBERS = frozenset({Label.CARDINAL, Label.ORDINAL, Label.PERCENT, Label.MONEY, Label.QUANTITY})
# Words that precede a noun phrase without modifying it.
_STARTERS = frozenset(
    "about above across after against along among and around as at be been before behind below beneath beside between"
    " beyond but by during except for from had has have if in inside into is are was were like near of off on onto or"
    " out outside over past since than through to toward towards under until upon used uses use using via when"
    " where which while with within without can could may might must will would do does did not".split()
)
_PLURALS = frozenset("people men women children mice teeth feet geese police cattle oxen lice fungi data media".split())
_NO_PLURAL = re.compile(r"(?:ss|us|is|ics|news|ous)$", re.I)


@dataclass(frozen=True, slots=True)
class Slot:
    """A keyword of a statement, with its article: position, kind, and the constraints on its fillers.

    `before` is the preceding word; `is_modified` says whether that word modifies it, or it modifies the next one.
    """

    start: int
    end: int
    text: str
    kind: str
    shape: str
    before: str
    is_modified: bool

    @property
    def is_first(self) -> bool:
        """Whether the statement begins with it."""
        return self.start == 0

    @property
    def has_article(self) -> bool:
        """Whether it begins with an article."""
        return bool(_OPENS.match(self.text))


def slots_of(text: str, keywords: Iterable[Keyword]) -> tuple[Slot, ...]:
    """The slots of a statement: keywords with their articles, names and compounds joined into one."""
    joined = list(_join_keywords(text, sorted(keywords, key=lambda keyword: keyword.start)))
    return tuple(_slot(text, keyword, joined) for keyword in joined if not _is_word_part(text, keyword))


def _is_word_part(text: str, keyword: Keyword) -> bool:
    """Whether a keyword is part of a longer word, such as "mitten" in "mitten-shaped"."""
    return text[keyword.end : keyword.end + 1] == "-" or text[: keyword.start].endswith("-")


def _join_keywords(text: str, keywords: list[Keyword]) -> Iterator[Keyword]:
    """Join adjacent keywords: "Eugene, Oregon" is one place and "snow leopard" one noun."""
    pending: Keyword | None = None
    for keyword in keywords:
        if pending is not None and _belong_together(text, pending, keyword):
            pending = replace(pending, end=keyword.end)
            continue
        if pending is not None:
            yield pending
        pending = keyword
    if pending is not None:
        yield pending


def _belong_together(text: str, left: Keyword, right: Keyword) -> bool:
    between = text[left.end : right.start]
    if _kind(left) == _kind(right) == PLACE:
        return between == ", " and not _FRONTED.match(text[: left.start])
    return between in (" ", "-") and left.label is None and right.label is None


def _kind(keyword: Keyword) -> str:
    if keyword.label is None:
        return NOUN
    if keyword.label in GEO_LABELS:
        return PLACE
    return TIME if keyword.label in TEMP_LABELS else keyword.label.value


def _slot(text: str, keyword: Keyword, others: list[Keyword]) -> Slot:
    describes = _describes(text, keyword, others)
    article = None if describes else _ARTICLE.search(text[: keyword.start])
    start = article.start() if article else keyword.start
    surface, kind = text[start : keyword.end], _kind(keyword)
    word = _BEFORE.search(text[:start])
    before = word.group(1).lower() if word else ""
    is_word = before[-1:].isalnum() or bool(_ABBREVIATION.search(text[:start]))
    described = is_word and before not in _STARTERS and not article and not _OPENS.match(surface)
    return Slot(start, keyword.end, surface, kind, _shape(surface, kind, keyword.label), before, described or describes)


def _describes(text: str, keyword: Keyword, others: list[Keyword]) -> bool:
    """Whether a keyword modifies the next one, so that a preceding article is not its own: "a Wisconsin city"."""
    return any(other.start == keyword.end + 1 and text[keyword.end] in " -" for other in others)


def _shape(surface: str, kind: str, label: Label | None) -> str:
    """The property that two fillers must share, besides their kind, to be exchanged."""
    if kind == TIME:
        return time_shape(surface)
    if label in _NUMBERS:
        return "one" if surface.lower() in ("one", "1", "a", "an") else "many"
    if kind == NOUN:
        return "plural" if is_plural(surface) else "singular"
    return ""


def is_plural(surface: str) -> bool:
    """Whether a noun looks like a plural.

    Example:
        >>> [is_plural(word) for word in ("trees", "grass", "people", "a mouse")]
        [True, False, True, False]
    """
    last = surface.lower().split()[-1]
    return last in _PLURALS or (last.endswith("s") and not _NO_PLURAL.search(last))


Regrouping: TypeAlias = tuple[int, ...]
"""For each slot of the left, then of the right statement, the number of the slot whose filler it gets."""

_WORDS = re.compile(r"\w+")
_NEGATION = re.compile(r"\b(?:not|no|never|cannot|none|neither|nor|without|unlikely|isnt|dont)\b|n['’]t\b", re.I)
_POSSIBLE = re.compile(r"\b(?:can|could|may|might|would)\b", re.I)
_LOWERED = re.compile(
    r"(?:the|an?|every|each|all|some|many|most|about|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b",
    re.I,
)


def regroupings(left: Sequence[Slot], right: Sequence[Slot]) -> Iterator[Regrouping]:
    """Every refilling of the slots that separates a place, a time or a name from its statement."""
    slots = [*left, *right]
    fits = [
        [other for other in range(len(slots)) if other == slot or can_exchange(slots[slot], slots[other])]
        for slot in range(len(slots))
    ]
    return (found for found in _fillings(fits, ()) if _separates_context(found, left, right))


def is_negated(text: str) -> bool:
    """Whether a statement is negated; with other keywords it would mostly stay true.

    Example:
        >>> [is_negated(text) for text in ("Kobe is not in Europe.", "Kobe is in Japan.")]
        [True, False]
    """
    return bool(_NEGATION.search(text))


def is_possible(text: str) -> bool:
    """Whether a statement only says what is possible; two such mostly stay true with other keywords.

    Example:
        >>> [is_possible(text) for text in ("You could see a bear in Ohio.", "Kobe is in Japan.")]
        [True, False]
    """
    return bool(_POSSIBLE.search(text))


def _separates_context(regrouping: Regrouping, left: Sequence[Slot], right: Sequence[Slot]) -> bool:
    """Whether a regrouping moves something to the other statement without what makes its own statement true.

    If all keywords of a statement move and only its verb stays, both sentences mostly stay true: "Salmon are found in
    Alaska. Honda resides in Japan." If only common nouns move, they too often fit as well as those they replace.
    """
    border = len(left)
    going = {filler for slot, filler in enumerate(regrouping) if (slot < border) != (filler < border)}
    return any(_loses_context(dict(side), going) for side in (enumerate(left), enumerate(right, border)))


def _loses_context(side: Mapping[int, Slot], going: Set[int]) -> bool:
    """Whether a place or time moves without its subject, or a named subject moves without any place or time."""
    contexts = {number for number, slot in side.items() if slot.kind in (PLACE, TIME)}
    named = [number for number, slot in side.items() if slot.kind not in (PLACE, TIME, NOUN)]
    said_of = next(iter(named or sorted(side.keys() - contexts)), None)
    if said_of is None:
        return bool(contexts & going) and (len(contexts) == 1 or bool(contexts - going))
    if said_of in going:
        return bool(named and contexts) and not contexts & going
    return bool(contexts & going)


def _fillings(fits: Sequence[Sequence[int]], taken: Regrouping) -> Iterator[Regrouping]:
    if len(taken) == len(fits):
        yield taken
        return
    for filler in fits[len(taken)]:
        if filler not in taken:
            yield from _fillings(fits, (*taken, filler))


def can_exchange(left: Slot, right: Slot) -> bool:
    """Whether two slots can be exchanged with both sentences still grammatical and something changed."""
    if left.kind != right.kind or _words(left.text) == _words(right.text):
        return False
    if (left.is_modified and right.has_article) or (right.is_modified and left.has_article):
        return False
    if not (_article_agrees(left, right) and _article_agrees(right, left)):
        return False
    if left.kind == TIME:
        return not is_one_time(left.text, right.text) and _can_exchange_times(left, right)
    if left.shape != right.shape:
        return False
    return left.kind != NOUN or _can_exchange_nouns(left, right)


def _article_agrees(slot: Slot, filler: Slot) -> bool:
    """Whether an article that stays before the slot fits the filler: "an" before a vowel, "a" otherwise."""
    return slot.before not in ("a", "an") or (slot.before == "an") == (filler.text[0].lower() in "aeiou")


def _can_exchange_times(left: Slot, right: Slot) -> bool:
    if (left.is_first or right.is_first) and is_plural(left.text) != is_plural(right.text):
        return False
    return left.shape == right.shape or (left.before == right.before and left.has_article == right.has_article)


def _can_exchange_nouns(left: Slot, right: Slot) -> bool:
    """Whether two nouns agree in being modified, sentence-initial and names."""
    if left.is_first != right.is_first and not (left.has_article and right.has_article):
        return False
    return left.is_modified == right.is_modified and (left.is_first or _is_name(left) == _is_name(right))


def _is_name(slot: Slot) -> bool:
    return slot.text.split()[-1][:1].isupper()


def _words(text: str) -> list[str]:
    return [word for word in _WORDS.findall(text.lower()) if word not in ("the", "a", "an")]


def regroup(
    left: tuple[str, Sequence[Slot]], right: tuple[str, Sequence[Slot]], regrouping: Regrouping
) -> tuple[str, str]:
    """Apply a regrouping to two statements, each given with its slots."""
    (left_text, left_slots), (right_text, right_slots) = left, right
    slots = [*left_slots, *right_slots]
    fillers = [slots[number] for number in regrouping]
    border = len(left_slots)
    return refill(left_text, left_slots, fillers[:border]), refill(right_text, right_slots, fillers[border:])


def refill(text: str, slots: Sequence[Slot], fillers: Sequence[Slot]) -> str:
    """A statement with other fillers in its slots, capitalised to fit."""
    parts, end = [], 0
    for slot, filler in zip(slots, fillers, strict=True):
        parts += [text[end : slot.start], slot.text if filler == slot else _adapt_case(filler, slot)]
        end = slot.end
    return "".join((*parts, text[end:]))


def _adapt_case(filler: Slot, slot: Slot) -> str:
    """A filler's text: capitalised at the start, with a sentence-initial article or number lowercased elsewhere."""
    if slot.is_first:
        return filler.text[0].upper() + filler.text[1:]
    if filler.is_first and _LOWERED.match(filler.text):
        return filler.text[0].lower() + filler.text[1:]
    return filler.text
