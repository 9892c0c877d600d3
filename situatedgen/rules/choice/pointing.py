"""Stems that point at the answer instead of asking for it: "You can buy a pen here.", "… in one of these."."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from situatedgen.rules.choice.drafts import Draft
from situatedgen.rules.choice.open_stems import complete
from situatedgen.rules.choice.places import place_phrase
from situatedgen.rules.choice.verbs import is_verbal, verb_phrase

if TYPE_CHECKING:
    from situatedgen.rules.choice.answers import Answer

_DOES_THIS = re.compile(r" (?:do|doing) this[?.]?$", re.I)
_ENDS_IN_THIS = re.compile(r" this[?.]?$", re.I)
_HERE = re.compile(r" here[?.]$", re.I)
_ONE_OF_THESE = re.compile(r" one of these[?.]$", re.I)


def point(text: str, answer: Answer) -> Draft | None:
    """The stem with the answer in place of its last word that points at it; None where none does.

    Example:
        "You can buy a pen here." + "office supply store" gives "You can buy a pen at an office supply store".
    """
    if _HERE.search(text):
        return Draft(_HERE.sub(f" {place_phrase(answer)}", text), "open_question")
    if _ONE_OF_THESE.search(text):
        return Draft(_ONE_OF_THESE.sub(f" {answer.noun}", text), "open_question")
    if _DOES_THIS.search(text) and is_verbal(answer):
        tag = "VBG" if text.lower().rstrip("?.").endswith("doing this") else "VB"
        return Draft(_DOES_THIS.sub(f" {verb_phrase(answer, tag)}", text), "open_question")
    if _ENDS_IN_THIS.search(text):
        return replace(complete(_ENDS_IN_THIS.sub("", text), answer), shape="open_question")
    return None
