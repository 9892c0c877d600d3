"""Giving names in small letters their capitals back."""

import re
from functools import cache

from situatedgen.resources import read_lines
from situatedgen.rules.gazetteer import common_words, land_names, place_names
from situatedgen.rules.phrases import Phrase, PhraseBook, find_phrases, phrase_book

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
# Words of English that are months or places only where the words around them say so.
_MONTH_OR_WORD = frozenset({"march", "may", "august"})
_PLACE_OR_WORD = frozenset({"buffalo", "chile", "china", "mobile", "phoenix", "savannah", "turkey"})
_GUARDED = _MONTH_OR_WORD | _PLACE_OR_WORD

_BEFORE_MONTH = re.compile(
    r"\b(?:in|of|since|until|till|during|by|through|between|early|late|mid|last|next|every)[ -]$", re.I
)
_AFTER_DAY = re.compile(r"(?:\d{1,2}(?:st|nd|rd|th)?|first) (?:of )?$", re.I)
_BEFORE_DAY = re.compile(r" (?:the )?\d")
_BEFORE_PLACE = re.compile(r"\b(?:in|near) $", re.I)
_AT_END = re.compile(r"\s*(?:$|[.,;:?!]|(?:and|or|to|through|at|in|on|is|was|by|for|when|where|during)\b)")


def true_case(text: str) -> str:
    """The text with capitals on names of places, peoples, months, weekdays and holidays; nothing is lowered.

    A word that is also a common one ("turkey", "china", "march", "may") gets its capital only where the words
    around it call for the name. The text keeps its length.

    Example:
        >>> true_case("the united states in july")
        'the United States in July'
        >>> true_case("roast turkey")
        'roast turkey'
    """
    if text.isupper():
        return text
    letters = list(text)
    for phrase in find_phrases(text, _capital_names()):
        if _is_name(text, phrase):
            letters[phrase.start : phrase.end] = _with_capitals(text[phrase.start : phrase.end], phrase.form)
    return "".join(letters)


def is_month(text: str, start: int, end: int) -> bool:
    """Whether "march", "may" or "august" at these offsets is the month, by the words around it."""
    before, after = text[:start], text[end:]
    if _BEFORE_DAY.match(after) or _AFTER_DAY.search(before):
        return True
    return bool(_BEFORE_MONTH.search(before) and _AT_END.match(after))


@cache
def _capital_names() -> PhraseBook:
    """Every name that is written with a capital, but for the common words."""
    lists = (
        *land_names(),
        *read_lines("peoples.txt"),
        *read_lines("festivals.txt"),
        *read_lines("events.txt"),
        *place_names(),
    )
    names = (name for name in lists if name.lower() not in common_words() - _GUARDED)
    return phrase_book((*WEEKDAYS, *MONTHS, *names))


def _is_name(text: str, phrase: Phrase) -> bool:
    """Whether a guarded word is used as a name; a word that is not guarded always is."""
    word = phrase.form.lower()
    if word in _MONTH_OR_WORD:
        return is_month(text, phrase.start, phrase.end)
    if word in _PLACE_OR_WORD:
        before, after = text[: phrase.start], text[phrase.end :]
        return bool(_BEFORE_PLACE.search(before) and _AT_END.match(after))
    return True


def _with_capitals(written: str, form: str) -> str:
    pairs = zip(written, form, strict=True)
    return "".join(letter.upper() if capital.isupper() else letter for letter, capital in pairs)
