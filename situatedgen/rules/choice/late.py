"""Questions after a lead-in: the lead kept in place, a full clause joined by a conjunction."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from situatedgen.rules.choice.drafts import Draft
from situatedgen.rules.choice.lexicon import SUBORDINATORS

if TYPE_CHECKING:
    from spacy.tokens import Doc

_CONJUNCTION = re.compile(r"[\s,;]*\b(?P<word>so|but|and|then|yet)$", re.I)
_LEAD_WORDS = SUBORDINATORS | frozenset(
    "in on at during of by with from to for under until upon within among despite compared based given instead due"
    " according without besides like".split()
)


def join_lead(lead: Doc, draft: Draft) -> Draft:
    """The lead-in and the sentence made of the question after it.

    Example:
        "The tourist entered Mammoth cave" + "they were in Kentucky" gives "The tourist entered Mammoth cave, and they
        were in Kentucky".
    """
    text = lead.text.rstrip(" ,;:-")
    conjunction = _CONJUNCTION.search(text)
    if conjunction:
        start = text[: conjunction.start()].rstrip(" ,;")
        return Draft(f"{start}, {conjunction['word'].lower()} {draft.text}", _shape(draft, "joined"), draft.confidence * 0.85)
    if _is_full(lead):
        return Draft(f"{text}, and {draft.text}", _shape(draft, "clause"), draft.confidence * 0.85)
    return Draft(f"{text}, {draft.text}", _shape(draft, "lead"), draft.confidence * 0.95)


def _shape(draft: Draft, name: str) -> str:
    return f"choice.late_{name}.{draft.shape.removeprefix('choice.')}"


def _is_full(lead: Doc) -> bool:
    """The lead is a clause of its own: a finite verb with its subject, and no subordinator first."""
    root = next(token for token in lead if token.dep_ == "ROOT")
    subject = next((child for child in root.lefts if child.dep_ in {"nsubj", "nsubjpass", "expl", "csubj"}), None)
    if subject is None or any(child.dep_ == "mark" or child.tag_ == "WRB" for child in root.lefts):
        return False
    if lead[0].lower_ not in _LEAD_WORDS:
        return True
    return any(token.lower_ == "," and token.i < subject.left_edge.i for token in lead)

