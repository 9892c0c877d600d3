"""Stems that point at the answer instead of asking for it: "You can buy a pen here.", "… in one of these."."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from situatedgen.rules.choice.drafts import Draft
from situatedgen.rules.choice.identity import state_identity
from situatedgen.rules.choice.kinds import read_kind
from situatedgen.rules.choice.open_stems import complete
from situatedgen.rules.choice.places import place_phrase
from situatedgen.rules.choice.verbs import is_verbal, verb_phrase

if TYPE_CHECKING:
    from situatedgen.rules.choice.answers import Answer

_DOES_THIS = re.compile(r" (?:do|doing) this[?.]?$", re.I)
_ENDS_IN_THIS = re.compile(r" this[?.]?$", re.I)
_NAME_IT = re.compile(r"^(?:name|identify) (?P<noun>(?:an?|one|something|the|another) .+?)[.?]?$", re.I)
_THIS_PLACE = re.compile(
    r"\bthis (?:place|state|country|city|region|area|town|store|building|room|appointment)\b"
    r"(?P<related> (?:whose|where|that|which)\b)?"
)
_HERE = re.compile(r" here[?.]$", re.I)
_ONE_OF_THESE = re.compile(r" one of these[?.]$", re.I)


def _placed(match: re.Match[str], answer: Answer) -> str:
    """The answer for "this state"; a name before a relative clause takes a comma."""
    related = match["related"] or ""
    if not (answer.place[:1].isupper() and related):
        return f"{answer.place}{related}"
    return f"{answer.place}, {'which' if related == ' that' else related.strip()}"


def point(text: str, answer: Answer) -> Draft | None:
    """The stem with the answer in place of its last word that points at it; None where none does.

    Example:
        "You can buy a pen here." + "office supply store" gives "You can buy a pen at an office supply store".
    """
    if named := _NAME_IT.match(text):
        return replace(state_identity(named["noun"], "is", answer, read_kind("")), shape="pointed")
    if len(_THIS_PLACE.findall(text)) == 1 and not text.endswith("?"):
        return Draft(_THIS_PLACE.sub(lambda match: _placed(match, answer), text), "pointed")
    if _HERE.search(text):
        return Draft(_HERE.sub(f" {place_phrase(answer)}", text), "pointed")
    if _ONE_OF_THESE.search(text):
        return Draft(_ONE_OF_THESE.sub(f" {answer.noun}", text), "pointed")
    if _DOES_THIS.search(text) and is_verbal(answer):
        tag = "VBG" if text.lower().rstrip("?.").endswith("doing this") else "VB"
        return Draft(_DOES_THIS.sub(f" {verb_phrase(answer, tag)}", text), "open_question")
    if _ENDS_IN_THIS.search(text):
        return replace(complete(_ENDS_IN_THIS.sub("", text), answer), shape="open_question")
    return None
