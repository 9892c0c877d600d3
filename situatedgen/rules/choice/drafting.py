"""A stem handed to the rule of its shape: a blank, an open end, a question word inside, late or in front."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from situatedgen.rules.choice.asking import Asked, Place, find_asked, is_inverted
from situatedgen.rules.choice.drafts import Draft
from situatedgen.rules.choice.forms import Form
from situatedgen.rules.choice.fronted import state_fronted
from situatedgen.rules.choice.inside import state_inside
from situatedgen.rules.choice.late import join_lead, place_lead
from situatedgen.rules.choice.lexicon import QUESTION_WORDS
from situatedgen.rules.choice.open_stems import complete, fill_blank, has_blank, is_open
from situatedgen.rules.choice.pointing import point
from situatedgen.rules.clauses.tidying import unmarked

if TYPE_CHECKING:
    from spacy.tokens import Doc

    from situatedgen.rules.choice.answers import Answer
    from situatedgen.rules.choice.stems import Stem
    from situatedgen.rules.clauses.work import Parsing

_ASKS_ODDLY = re.compile(
    r"(?<!^)\b(?:what|where|which|how|why|(?:by|for|of|to|with) who|who (?:would|will|should|might|could|can) be"
    r"|(?:do|in|on|with) this (?:to|instead|when|if|because|as))\b",
    re.I,
)


def draft_statement(stem: Stem, answer: Answer) -> Parsing[Draft | None]:
    """The draft that the rule of the stem's shape makes, None when no rule knows the shape."""
    if has_blank(stem.text):
        return fill_blank(stem.text, answer)
    (doc,) = yield [stem.text]
    asked = find_asked(doc)
    if asked is None or not (stem.asks or _asks_plainly(doc, asked, answer)):
        return _unasked(stem, answer, asked)
    if asked.place is Place.INSIDE:
        return state_inside(doc, asked, answer)
    if asked.place is Place.LATE:
        return (yield from _late(doc, asked, answer))
    return (yield from state_fronted(doc, asked.word, answer))


def _unasked(stem: Stem, answer: Answer, asked: Asked | None) -> Draft | None:
    """A stem that asks with no question word: open at its end, or with a mark after all."""
    if asked is None and (pointed := point(stem.text, answer)):
        return pointed
    if asked is None and stem.asks:
        if _ASKS_ODDLY.search(stem.text):
            return None
        return replace(complete(unmarked(stem.text), answer), shape="open_question")
    return complete(stem.text, answer) if is_open(stem.text) else None


def _asks_plainly(doc: Doc, asked: Asked, answer: Answer) -> bool:
    """A stem without a question mark asks after all: with an auxiliary after its question word, or at its end."""
    token = doc[asked.word]
    if asked.word >= len(doc) - 2:
        return token.lower_ == "what" or answer.form is not Form.CLAUSE
    if token.lower_ in {"who", "whom", "whose"} and asked.place is not Place.FRONT:
        return False
    if asked.place is Place.INSIDE:
        return token.lower_ == "what" and token.nbor(-1).pos_ in {"ADP", "DET"}
    return is_inverted(token)


def _late(doc: Doc, asked: Asked, answer: Answer) -> Parsing[Draft | None]:
    """The lead-in before the question word, and the question from there on, stated and joined."""
    if asked.start <= 2 and doc[0].lower_ in QUESTION_WORDS:
        return None
    lead, clause = yield [doc[: asked.start].text.rstrip(" ,;:-") + " .", doc[asked.start :].text]
    placed = place_lead(lead[:-1], clause.text, answer)
    if placed is not None:
        return placed
    draft = yield from state_fronted(clause, asked.word - asked.start, answer)
    return None if draft is None else join_lead(lead[:-1], draft)
