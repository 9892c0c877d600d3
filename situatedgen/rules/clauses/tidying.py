"""Spacing, the first letter and the last mark of a sentence."""

import re

_SPACES = re.compile(r"\s+")
_BEFORE_MARK = re.compile(r" +([,.;:!?])(?=\s|$)")
_TRAILING = re.compile(r"[\s?.!,;:]+$")
_ABBREVIATION = re.compile(r"(?:\b[A-Za-z](?:\.[A-Za-z])*|\b(?:Jr|Sr|Dr|Mr|Mrs|Ms|St|Inc|Co|Ltd|etc|vs))\.$")


_DOUBLED = re.compile(r"\b(the|a|an|in|on|of|to|at|be|for|and|from|with) \1\b", re.IGNORECASE)


def undoubled(text: str) -> str:
    """The text with a small word that was typed twice in a row said once.

    Example:
        >>> undoubled("the leaves in in September")
        'the leaves in September'
    """
    return _DOUBLED.sub(r"\1", text)


def spaced(text: str) -> str:
    """The text with single spaces and none before a mark."""
    return _BEFORE_MARK.sub(r"\1", _SPACES.sub(" ", text)).strip()


def unmarked(text: str) -> str:
    """The text without the marks that end it; the period of an abbreviation stays.

    Example:
        >>> unmarked("Did he live in the U.S.?")
        'Did he live in the U.S.'
    """
    bare = _TRAILING.sub("", text)
    return bare + "." if _ABBREVIATION.search(text[: len(bare) + 1]) else bare


def raised(text: str) -> str:
    """The text with its first letter raised, unless its first word carries its own capitals ("iPhone").

    Example:
        >>> raised('"war and peace" is long')
        '"War and peace" is long'
    """
    start = next((index for index, letter in enumerate(text) if letter.isalnum()), len(text))
    word = text[start:].split(" ", 1)[0]
    if re.match(r"[a-z][A-Z]", word):
        return text
    return text[:start] + text[start : start + 1].upper() + text[start + 1 :]


def sentence(text: str) -> str:
    """The text as a sentence: spaced, first letter raised, a period at its end unless a mark stands there."""
    whole = raised(spaced(text))
    return whole if whole.endswith((".", "!", "?")) else whole + "."
