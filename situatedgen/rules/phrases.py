"""Finding many fixed phrases in a text at once, whatever their case."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase found in a text: half-open character offsets, and its form in the book."""

    start: int
    end: int
    form: str


@dataclass(frozen=True, slots=True)
class PhraseBook:
    """Phrases by their small-letter form, and the most words of a phrase by its first word."""

    forms: Mapping[str, str]
    longest: Mapping[str, int]


def phrase_book(phrases: Iterable[str]) -> PhraseBook:
    """The book of some phrases; of two that differ in case alone the first stands."""
    forms: dict[str, str] = {}
    longest: dict[str, int] = {}
    for phrase in phrases:
        small = small_letters(phrase)
        words = _WORD.findall(small)
        forms.setdefault(small, phrase)
        longest[words[0]] = max(len(words), longest.get(words[0], 0))
    return PhraseBook(forms, longest)


def find_phrases(text: str, book: PhraseBook) -> Iterator[Phrase]:
    """The phrases of a book that stand in a text on whole words, longest first, none inside another."""
    small = small_letters(text)
    words = [match.span() for match in _WORD.finditer(small)]
    index = 0
    while index < len(words):
        found = _longest_at(small, words, index, book)
        if found is None:
            index += 1
            continue
        phrase, index = found
        yield phrase


def small_letters(text: str) -> str:
    """The text in small letters and with straight apostrophes, every character in its old place.

    Example:
        >>> small_letters("New Year’s")
        "new year's"
    """
    small = text.lower()
    if len(small) != len(text):
        small = "".join(letter.lower()[0] for letter in text)
    return small.replace("’", "'")


def _longest_at(
    small: str, words: list[tuple[int, int]], index: int, book: PhraseBook
) -> tuple[Phrase, int] | None:
    start, first_end = words[index]
    most = min(book.longest.get(small[start:first_end], 0), len(words) - index)
    for count in range(most, 0, -1):
        end = words[index + count - 1][1]
        form = book.forms.get(small[start:end])
        if form is not None:
            return Phrase(start, end, form), index + count
    return None
