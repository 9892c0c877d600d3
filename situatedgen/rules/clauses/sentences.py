"""A text split into its sentences by its marks."""

import re

from situatedgen.rules.clauses.lexicon import ABBREVIATIONS

_BREAK = re.compile(r"(?<=[.?!])[\"'”’)]?\s+(?=[\"'“‘(]?[A-Z0-9])")
_INITIALS = re.compile(r"[A-Z](?:\.[A-Z])*")
_LAST_WORD = re.compile(r"([\w.]+)[.]$")


def split_sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text, trimmed; a period after an abbreviation or an initial ends none.

    Example:
        >>> split_sentences("Dr. Seuss wrote it. Is it long?")
        ('Dr. Seuss wrote it.', 'Is it long?')
    """
    pieces: list[str] = []
    start = 0
    for match in _BREAK.finditer(text):
        if _ends_sentence(text[start : match.start()]):
            pieces.append(text[start : match.end()].strip())
            start = match.end()
    return tuple(piece for piece in [*pieces, text[start:].strip()] if piece)


def _ends_sentence(piece: str) -> bool:
    word = _LAST_WORD.search(piece)
    if word is None:
        return True
    last = word.group(1)
    return last.lower() not in ABBREVIATIONS and not _INITIALS.fullmatch(last)
