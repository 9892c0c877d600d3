"""What may not stand in two splits, and how it is recognised."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

NOT_A_WORD = re.compile(r"[\W_]+")
_OTHER_ASCII = {code: None for code in range(128) if not chr(code).isalnum()}
AN = re.compile(r"\ban\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Placement:
    """A statement, its masked template, and the split it stands in."""

    statement_id: str
    text: str
    template: str
    split: str


# The same texts come back when statements are housed, checked, certified and counted.
@lru_cache(maxsize=1 << 16)
def folded(text: str) -> str:
    """The text as the leak laws compare it: without case, punctuation and spaces.

    A text of nothing but punctuation stands for itself.

    Example:
        >>> folded("In the U.S., it's summer.") == folded("in the US it’s summer")
        True
    """
    if text.isascii():  # most texts, and quickly done
        return text.lower().translate(_OTHER_ASCII) or text
    plain = unicodedata.normalize("NFKC", text).casefold()
    return NOT_A_WORD.sub("", plain) or text


@lru_cache(maxsize=1 << 16)
def template(masked: str) -> str:
    """A masked text as the leak laws compare it: folded, and "an" as "a", which hangs on the word behind the mask.

    Example:
        >>> template("[UNK] is an [UNK].") == template("[UNK] is a [UNK].")
        True
    """
    return folded(AN.sub("a", masked))


def leaks(placements: Sequence[Placement]) -> dict[str, tuple[str, ...]]:
    """The ids, texts and templates that stand in two splits, by what they are (§4.4); all empty is right."""
    return {
        "statement id": straddlers((place.statement_id, place.split) for place in placements),
        "statement text": straddlers((folded(place.text), place.split) for place in placements),
        "masked template": straddlers((template(place.template), place.split) for place in placements),
    }


def straddlers(placed: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """The things that stand in more than one place, sorted, of (thing, place).

    Example:
        >>> straddlers([("a", "train"), ("b", "train"), ("a", "dev"), ("b", "train")])
        ('a',)
    """
    first: dict[str, str] = {}
    return tuple(sorted({thing for thing, place in placed if first.setdefault(thing, place) != place}))
