"""Multiple-choice questions and their right answers, stated as one declarative sentence."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from situatedgen.records import Conversion
from situatedgen.rules.casing import true_case
from situatedgen.rules.choice.answers import Answer, Form, understand
from situatedgen.rules.choice.asking import Asked, Place, find_asked, is_inverted
from situatedgen.rules.choice.checks import judged
from situatedgen.rules.choice.context import needs_context
from situatedgen.rules.choice.drafts import Draft, smooth
from situatedgen.rules.choice.fronted import state_fronted
from situatedgen.rules.choice.inside import state_inside
from situatedgen.rules.choice.late import join_lead, place_lead
from situatedgen.rules.choice.open_stems import complete, fill_blank, has_blank, is_open
from situatedgen.rules.choice.stems import Stem, read_stem
from situatedgen.rules.clauses.inversion import as_sentence
from situatedgen.rules.clauses.tidying import sentence, unmarked
from situatedgen.vocabulary import Verdict

if TYPE_CHECKING:
    from spacy.tokens import Doc

    from situatedgen.rules.clauses.work import Parsing, Work

NO_RULE = Conversion("", "choice.none", 0.0, Verdict.NO_RULE)


def state(question: str, answer: str) -> Work:
    """The work that states a question with its right answer as a sentence."""
    stem = read_stem(question)
    if not stem.text or not answer.strip():
        yield from ()
        return NO_RULE
    understood = yield from understand(answer)
    draft = yield from _draft(stem, understood)
    if draft is None:
        return NO_RULE
    text = sentence(true_case(smooth(unmarked(draft.text))))
    verdict, confidence = judged(draft, text, stem.text, answer)
    if verdict is Verdict.KEPT and stem.context:
        docs = yield [stem.text, as_sentence(understood.text)]
        if len(text.split()) <= 3 or needs_context(*docs, stem.context):
            return Conversion(text, draft.shape, confidence, Verdict.NEEDS_CONTEXT)
    return Conversion(text, draft.shape, confidence, verdict)


def _draft(stem: Stem, answer: Answer) -> Parsing[Draft | None]:
    if has_blank(stem.text):
        return fill_blank(stem.text, answer)
    (doc,) = yield [stem.text]
    asked = find_asked(doc)
    if asked is None and stem.text.lower().endswith((" this?", " this.", " this")):
        return complete(re.sub(r"(?i) this[?.]?$", "", stem.text), answer).doubted(0.6)
    if asked is None and stem.asks:
        return complete(unmarked(stem.text), answer).doubted(0.6)
    if asked is not None and not stem.asks and not is_open(stem.text) and not _asks_plainly(doc, asked, answer):
        return None
    if asked is None or (not stem.asks and is_open(stem.text) and not _asks_plainly(doc, asked, answer)):
        return complete(stem.text, answer) if is_open(stem.text) else None
    if asked.place is Place.INSIDE:
        return state_inside(doc, asked, answer)
    if asked.place is Place.LATE:
        return (yield from _late(doc, asked, answer))
    return (yield from state_fronted(doc, asked.word, answer))


def _asks_plainly(doc: Doc, asked: Asked, answer: Answer) -> bool:
    """A stem without a question mark asks after all: with an auxiliary after its question word, or at its end."""
    if asked.word >= len(doc) - 2:
        return doc[asked.word].lower_ == "what" or answer.form is not Form.CLAUSE
    token = doc[asked.word]
    if token.lower_ in {"who", "whom", "whose"} and asked.place is not Place.FRONT:
        return False
    if asked.place is Place.INSIDE:
        return token.lower_ == "what" and token.nbor(-1).pos_ in {"ADP", "DET"}
    return is_inverted(token)


def _late(doc: Doc, asked: Asked, answer: Answer) -> Parsing[Draft | None]:
    lead, clause = yield [doc[: asked.start].text.rstrip(" ,;"), doc[asked.start :].text]
    placed = place_lead(lead, clause.text, answer)
    if placed is not None:
        return placed
    draft = yield from state_fronted(clause, asked.word - asked.start, answer)
    return None if draft is None else join_lead(lead, draft)
