"""The place or time of a statement that can be swapped for another without breaking its grammar."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from situatedgen.rules.places import is_elsewhere, nations, takes_article
from situatedgen.variants.moments import Moment, moment
from situatedgen.vocabulary import GEO_LABELS, TEMP_LABELS, Context, Label

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


def swapped(text: str, slot: Slot, given: Slot) -> str:
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
