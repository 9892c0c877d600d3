"""The places of a statement that a keyword fills, and what else could stand there."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from situatedgen.filtering.choice.times import time_shape
from situatedgen.rules.keywords import Keyword
from situatedgen.vocabulary import GEO_LABELS, TEMP_LABELS, Label

PLACE, TIME, NOUN = "place", "time", "noun"
_ARTICLE = re.compile(r"\b(?:the|an?) $", re.I)
_OPENS = re.compile(r"(?:the|an?) ", re.I)
# "In America, Hanoi was …": what follows the comma is another place.
_FRONTED = re.compile(r"(?:in|at|from|near|throughout|across) (?:the )?$", re.I)
_BEFORE = re.compile(r"([\w'’-]+|[^\w\s])\s*$")
_ABBREVIATION = re.compile(r"\b[A-Z]\.\s*$")
_NUMBERS = frozenset({Label.CARDINAL, Label.ORDINAL, Label.PERCENT, Label.MONEY, Label.QUANTITY})
# Words after which a noun phrase begins anew, so that nothing before describes it.
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
    """A keyword of a statement with its article: where it stands, what kind it is, and what it asks for.

    `before` is the word before it, `is_modified` whether a word before describes it or it describes the one after.
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
    """The slots of a statement: keywords with their articles, those that are one name or one compound together."""
    joined = list(_joined(text, sorted(keywords, key=lambda keyword: keyword.start)))
    return tuple(_slot(text, keyword, joined) for keyword in joined if not _is_part(text, keyword))


def _is_part(text: str, keyword: Keyword) -> bool:
    """Whether a keyword is part of a longer word, such as "mitten" in "mitten-shaped"."""
    return text[keyword.end : keyword.end + 1] == "-" or text[: keyword.start].endswith("-")


def _joined(text: str, keywords: list[Keyword]) -> Iterator[Keyword]:
    """Keywords, where "Eugene, Oregon" is one place and "snow leopard" one noun."""
    pending: Keyword | None = None
    for keyword in keywords:
        if pending is not None and _is_one(text, pending, keyword):
            pending = replace(pending, end=keyword.end)
            continue
        if pending is not None:
            yield pending
        pending = keyword
    if pending is not None:
        yield pending


def _is_one(text: str, left: Keyword, right: Keyword) -> bool:
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
    """Whether a keyword describes the one after it, so that an article before it is not its own: "a Wisconsin city"."""
    return any(other.start == keyword.end + 1 and text[keyword.end] in " -" for other in others)


def _shape(surface: str, kind: str, label: Label | None) -> str:
    """What must be alike for two fillers to change places, beside their kind."""
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
