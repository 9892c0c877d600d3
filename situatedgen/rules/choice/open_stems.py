"""Stems that the answer completes: open ends and blanks."""

import re

from situatedgen.rules.choice.answers import Answer
from situatedgen.rules.choice.drafts import Draft
from situatedgen.rules.choice.lexicon import DETERMINERS

_BLANK = re.compile(r"_{2,}(?:\s*,?\s*_{2,})*|\.{4,}|…")
_OPEN_END = re.compile(r"[\s:\-–—.…]+$")
_ENDED = re.compile(r"[.!?]$")


def has_blank(text: str) -> bool:
    """The text has a blank to be filled."""
    return bool(_BLANK.search(text))


def fill_blank(text: str, answer: Answer) -> Draft:
    """The text with the answer in its blank.

    Example:
        "The ____ is the closest star." + "Sun" gives "The Sun is the closest star".
    """
    blanks = _BLANK.findall(text)
    before = text[: _BLANK.search(text).start()].split()  # type: ignore[union-attr]
    words = answer.text if before and before[-1].lower() in DETERMINERS else answer.noun
    return Draft(_BLANK.sub(lambda _: words, text, count=1), "blank").doubted(1.0 if len(blanks) == 1 else 0.1)


def is_open(text: str) -> bool:
    """The text breaks off where the answer goes on."""
    return not _ENDED.search(text.rstrip())


def complete(text: str, answer: Answer) -> Draft:
    """The text and the answer that completes it.

    Example:
        "A seed grows into a" + "plant." gives "A seed grows into a plant".
    """
    stem = _OPEN_END.sub("", text)
    return Draft(f"{stem} {answer.text}", "open_stem")
