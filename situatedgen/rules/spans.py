"""Helpers for spans of a text: overlaps, and a search for fixed phrases."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from situatedgen.records import Entity


def longest_apart(entities: Iterable[Entity]) -> tuple[Entity, ...]:
    """Resolve overlaps in favour of the longest entity, then the first; sorted."""
    kept: list[Entity] = []
    for entity in sorted(entities, key=lambda found: (found.start - found.end, found.start, found.label)):
        if not any(overlap(entity, other) for other in kept):
            kept.append(entity)
    return tuple(sorted(kept))


def overlap(left: Entity, right: Entity) -> bool:
    """Whether two entities have a character in common."""
    return left.start < right.end and right.start < left.end


REACH = 60
"""How far back `follows` looks, in characters."""

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase found in a text: half-open character offsets, and its form in the phrase book."""

    start: int
    end: int
    form: str


@dataclass(frozen=True, slots=True)
class PhraseBook:
    """Phrases by their lower-case form, and the maximum number of words of a phrase by its first word."""

    forms: Mapping[str, str]
    longest: Mapping[str, int]


def phrase_book(phrases: Iterable[str]) -> PhraseBook:
    """A phrase book of these phrases; of two that differ only in case the first wins."""
    forms: dict[str, str] = {}
    longest: dict[str, int] = {}
    for phrase in phrases:
        small = small_letters(phrase)
        words = _WORD.findall(small)
        forms.setdefault(small, phrase)
        longest[words[0]] = max(len(words), longest.get(words[0], 0))
    return PhraseBook(forms, longest)


def find_phrases(text: str, book: PhraseBook) -> Iterator[Phrase]:
    """The phrases of a book that occur in a text as whole words, longest first, without nesting."""
    small = small_letters(text)
    if book.longest.keys().isdisjoint(_WORD.findall(small)):
        return
    words = list(_WORD.finditer(small))
    behind = 0
    for index, word in enumerate(words):
        most = book.longest.get(word.group())
        if most and word.start() >= behind:
            ends = [later.end() for later in words[index : index + most]]
            found = _longest(small, word.start(), ends, book)
            if found:
                behind = found.end
                yield found


def words_of(text: str) -> frozenset[str]:
    """The set of lower-case words of a text."""
    return frozenset(_WORD.findall(text.lower()))


def small_letters(text: str) -> str:
    """The text in lower case and with straight apostrophes, with all offsets unchanged.

    Example:
        >>> small_letters("New Year’s")
        "new year's"
    """
    small = text.lower()
    if len(small) != len(text):
        small = "".join(letter.lower()[0] for letter in text)
    return small.replace("’", "'")


def follows(pattern: re.Pattern[str], text: str, start: int) -> re.Match[str] | None:
    """The match of a pattern that ends in `$` with the words just before an offset."""
    return pattern.search(text, max(0, start - REACH), start)


def one_of(words: str) -> str:
    """A regular expression that matches any of the space-separated words."""
    return f"(?:{'|'.join(words.split())})"


def _longest(small: str, start: int, ends: list[int], book: PhraseBook) -> Phrase | None:
    for end in reversed(ends):
        form = book.forms.get(small[start:end])
        if form is not None:
            return Phrase(start, end, form)
    return None
