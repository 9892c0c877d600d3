"""An output as sentences."""

import re
from collections.abc import Iterable
from functools import cache

from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer

from situatedgen.resources import read_lines

INITIALS = re.compile(r"(?:[a-z]\.)+[a-z]")


class _Abbreviations(frozenset[str]):
    """Words that keep their period, and all initials (`u.s`, `b.i.g`)."""

    def __contains__(self, word: object) -> bool:
        return super().__contains__(word) or (isinstance(word, str) and INITIALS.fullmatch(word) is not None)


def sentences(text: str, known: Iterable[str] = ()) -> tuple[str, ...]:
    """The sentences of a text, by NLTK's Punkt; a sentence that is known is one wherever it stands as it is.

    Example:
        >>> sentences("It is cold in Washington, D.C. Rome is warm.", known=("It is cold in Washington, D.C.",))
        ('It is cold in Washington, D.C.', 'Rome is warm.')
    """
    for sentence in known:
        before, found, after = text.partition(sentence)
        if found and _ends_word(before, after):
            return (*sentences(before, known), sentence, *sentences(after, known))
    return tuple(_punkt().tokenize(text.strip()))


def _ends_word(before: str, after: str) -> bool:
    return (not before or before[-1].isspace()) and (not after or after[0].isspace())


@cache
def _punkt() -> PunktSentenceTokenizer:
    params = PunktParameters()
    params.abbrev_types = _Abbreviations(read_lines("abbreviations.txt"))
    params.sent_starters = set(read_lines("sentence_starters.txt"))
    return PunktSentenceTokenizer(params)
