"""A sentence in the making: its text, the shape that made it, and how sure that is."""

import re
from dataclasses import dataclass, replace

from situatedgen.rules.choice.articles import indefinite

_DOUBLED = re.compile(r"\b(in|on|at|to|of|for|from|with|by|a|an|the|into|as|about) \1\b", re.I)
_TWO_ARTICLES = re.compile(r"\b(a|an|the) (?:a|an|the) (?=\w)", re.I)
_ARTICLE = re.compile(r"\b([Aa])n? (?=([\w\"'“]+))")
_SPACE_BEFORE_MARK = re.compile(r" +(?=[,.;:?!])")
_MARKS_MET = re.compile(r",(?:\s*,)+|,\s*(?=[.;])")


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft of a statement, without its final mark."""

    text: str
    shape: str
    confidence: float

    def doubted(self, factor: float) -> "Draft":
        """The draft, less sure."""
        return replace(self, confidence=self.confidence * factor)


def splice(text: str, start: int, end: int, words: str) -> str:
    """The text with the words in place of what stands between two offsets, single spaces around them."""
    before, after = text[:start].rstrip(), text[end:].lstrip()
    glue = "" if not after or after[0] in ",.;:?!'’\"”" else " "
    return f"{before} {words}{glue}{after}".strip()


def smooth(text: str) -> str:
    """The text with "a" and "an" by sound, and no word or mark doubled where phrases met.

    Example:
        >>> smooth("Light passes through a a apple , .")
        'Light passes through an apple.'
    """
    text = _DOUBLED.sub(r"\1", re.sub(r"\s+", " ", text))
    text = _TWO_ARTICLES.sub(r"\1 ", text)
    text = _ARTICLE.sub(_by_sound, text)
    return _MARKS_MET.sub(lambda match: "," if match[0].count(",") > 1 else "", _SPACE_BEFORE_MARK.sub("", text))


def _by_sound(match: re.Match[str]) -> str:
    if match[2][:1].isupper() and len(match[2]) == 1:
        return match[0]
    return f"{match[1]}{indefinite(match[2])[1:]} "
