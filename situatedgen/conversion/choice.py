"""Converts a multiple-choice item into a statement."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from situatedgen.conversion.answer import Answer, Form, understand
from situatedgen.conversion.confidence import DOUBTFUL, check_draft, is_doubtful, is_sound, needs_context
from situatedgen.conversion.draft import Draft, smooth
from situatedgen.conversion.fronted import state_fronted
from situatedgen.conversion.in_place import (
    complete,
    fill_blank,
    has_blank,
    is_open,
    join_lead,
    place_lead,
    point,
    state_inside,
)
from situatedgen.conversion.inversion import as_sentence, sentence, strip_final_mark
from situatedgen.conversion.lexicon import QUESTION_WORDS
from situatedgen.conversion.question import Asked, Place, Stem, find_asked, is_inverted, read_stem
from situatedgen.records import Conversion
from situatedgen.rules.text import true_case
from situatedgen.vocabulary import Verdict

if TYPE_CHECKING:
    from spacy.tokens import Doc

    from situatedgen.conversion.answer import Answer
    from situatedgen.conversion.parsing import Parsing, Work
    from situatedgen.conversion.question import Stem

_ASKS_ODDLY = re.compile(
    r"(?<!^)\b(?:what|where|which|how|why|(?:by|for|of|to|with) who|who (?:would|will|should|might|could|can) be"
    r"|(?:do|in|on|with) this (?:to|instead|when|if|because|as))\b",
    re.I,
)


def draft_statement(stem: Stem, answer: Answer) -> Parsing[Draft | None]:
    """The draft by the rule for the stem's shape; None if no rule matches."""
    if has_blank(stem.text):
        return fill_blank(stem.text, answer)
    (doc,) = yield [stem.text]
    asked = find_asked(doc)
    if asked is None or not (stem.asks or _asks_plainly(doc, asked, answer)):
        return _state_unasked(stem, answer, asked)
    if asked.place is Place.INSIDE:
        return state_inside(doc, asked, answer)
    if asked.place is Place.LATE:
        return (yield from _state_late(doc, asked, answer))
    return (yield from state_fronted(doc, asked.word, answer))


def _state_unasked(stem: Stem, answer: Answer, asked: Asked | None) -> Draft | None:
    """State a stem without a question word: open at its end, or with a question mark after all."""
    if asked is None and (pointed := point(stem.text, answer)):
        return pointed
    if asked is None and stem.asks:
        if _ASKS_ODDLY.search(stem.text):
            return None
        return replace(complete(strip_final_mark(stem.text), answer), shape="open_question")
    return complete(stem.text, answer) if is_open(stem.text) else None


def _asks_plainly(doc: Doc, asked: Asked, answer: Answer) -> bool:
    """Whether a stem without a question mark is a question: by an auxiliary, or a final question word."""
    token = doc[asked.word]
    if asked.word >= len(doc) - 2:
        return token.lower_ == "what" or answer.form is not Form.CLAUSE
    if token.lower_ in {"who", "whom", "whose"} and asked.place is not Place.FRONT:
        return False
    if asked.place is Place.INSIDE:
        return token.lower_ == "what" and token.nbor(-1).pos_ in {"ADP", "DET"}
    return is_inverted(token)


def _state_late(doc: Doc, asked: Asked, answer: Answer) -> Parsing[Draft | None]:
    """Convert the question that follows a lead-in, and join the two."""
    if asked.start <= 2 and doc[0].lower_ in QUESTION_WORDS:
        return None
    lead, clause = yield [doc[: asked.start].text.rstrip(" ,;:-") + " .", doc[asked.start :].text]
    placed = place_lead(lead[:-1], clause.text, answer)
    if placed is not None:
        return placed
    draft = yield from state_fronted(clause, asked.word - asked.start, answer)
    return None if draft is None else join_lead(lead[:-1], draft)


NO_RULE = Conversion("", "choice.none", 0.0, Verdict.NO_RULE)
_FEWEST_WORDS = 4
_FEWEST_TOLD = 6
_TOLD = ("subject", "where", "which_of")
_ASKS_FOR_TIME = re.compile(r"\b(?:when|month)\b", re.IGNORECASE)


def state(question: str, answer: str) -> Work:
    """The work that converts a question and its right answer into a statement.

    Example:
        state("Where did she move?", "boston") ends in "She moved to Boston."
    """
    stem = read_stem(question)
    if not stem.text or not any(letter.isalnum() for letter in answer):
        yield from ()
        return NO_RULE
    understood = yield from understand(answer, of_time=bool(_ASKS_FOR_TIME.search(stem.text)))
    draft = yield from draft_statement(stem, understood)
    if draft is None:
        return NO_RULE
    text = sentence(true_case(smooth(strip_final_mark(draft.text))))
    (finished,) = yield [text]
    draft = draft.doubted(1.0 if is_sound(finished) else 0.6)
    if is_doubtful(draft.shape, understood, answer, text):
        draft = draft.doubted(DOUBTFUL)
    verdict, confidence = check_draft(draft, text, stem.text, answer)
    if verdict is Verdict.KEPT and (yield from _is_dangling(stem, understood, text, draft.shape)):
        verdict = Verdict.NEEDS_CONTEXT
    return Conversion(text, f"choice.{draft.shape}", confidence, verdict)


def _is_dangling(stem: Stem, answer: Answer, text: str, shape: str) -> Parsing[bool]:
    """Whether the statement makes no sense without the sentences before its question."""
    if not stem.context:
        return False
    question, answered = yield [stem.text, as_sentence(answer.text)]
    fewest = _FEWEST_TOLD if shape.startswith(_TOLD) else _FEWEST_WORDS
    return len(text.split()) < fewest or needs_context(question, answered, stem.context)
