"""A claim or fact written as a statement."""

import re

_PAIRS = {'"': '"', "“": "”", "'": "'", "‘": "’", "«": "»"}
_ENDS = (".", "!", "?")
_OWN_CAPITAL = re.compile(r"[a-z][A-Z]")
_WORD = re.compile(r"[^\W_]")


def tidy_sentence(text: str) -> str:
    """The text as a statement: trimmed, out of its wrapping quotes, single spaces, capital, final period.

    Everything else stays as it was, also a word that carries its own capital ("iPhone"); a text without a
    word gives an empty one.

    Example:
        >>> tidy_sentence(' "the sun rises in the  east" ')
        'The sun rises in the east.'
    """
    bare = _unwrapped(" ".join(text.split()))
    if not _WORD.search(bare):
        return ""
    raised = bare if _OWN_CAPITAL.match(bare) else bare[0].upper() + bare[1:]
    return raised if _is_ended(raised) else raised + "."


def _unwrapped(text: str) -> str:
    """The text without quotes that open at its start and close at its end, and nowhere between."""
    while len(text) > 1 and _PAIRS.get(text[0]) == text[-1] and not _inner(text):
        text = text[1:-1].strip()
    return text


def _inner(text: str) -> bool:
    middle = text[1:-1]
    if text[0] == "'":
        return bool(re.search(r"(?:^|\s)'|'(?:\s|$)", middle))
    return text[0] in middle or text[-1] in middle


def _is_ended(text: str) -> bool:
    return text.rstrip("\"'”’»)").endswith(_ENDS)
