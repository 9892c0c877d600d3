"""A yes/no question in the order of a statement: "Snowboarding is a rarity in Hilo?"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from situatedgen.records import Conversion
from situatedgen.rules.clauses.auxiliaries import AUXILIARIES, Kind, negated
from situatedgen.rules.clauses.inversion import as_sentence
from situatedgen.rules.clauses.morphology import base_form
from situatedgen.rules.clauses.scoring import subject_of
from situatedgen.rules.clauses.tidying import sentence, unmarked
from situatedgen.rules.yes_no.checks import text_verdict
from situatedgen.vocabulary import Verdict

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

    from situatedgen.rules.clauses.work import Work

SHAPE = "yes_no.plain"
CONFIDENCE = 0.7
LONGEST_SUBJECT = 4
"""More words than this before the verb are mostly a headline, not a subject."""

_DO = {"VBZ": "does", "VBP": "do", "VBD": "did"}


def state_plain(question: str, *, positive: bool) -> Work:
    """The work that states a question which has its subject before its verb already."""
    text = unmarked(question)
    (doc,) = yield [as_sentence(text)]
    finite = finite_verb(doc)
    if finite is None:
        return Conversion("", SHAPE, 0.0, Verdict.NO_RULE)
    whole = sentence(text if positive else denied(text, finite))
    verdict = text_verdict(whole)
    unsure = finite.i > LONGEST_SUBJECT or (not positive and finite.tag_ not in {"VBZ", "MD"})
    return Conversion(whole, SHAPE, CONFIDENCE, Verdict.UNSURE if unsure else verdict)


def finite_verb(doc: Doc) -> Token | None:
    """The finite verb of a sentence that begins with its subject; None where the parse has no such thing."""
    root = next(token for token in doc if token.dep_ == "ROOT")
    subject = subject_of(root)
    if subject is None or subject.left_edge.i != 0 or any(child.dep_ == "neg" for child in root.children):
        return None
    helper = next((child for child in root.lefts if child.dep_ in {"aux", "auxpass"}), root)
    return helper if helper.tag_ in {*_DO, "MD"} else None


def denied(text: str, finite: Token) -> str:
    """The text with its finite verb negated."""
    helper = AUXILIARIES.get(finite.lower_)
    main = finite.dep_ == "ROOT" and (helper is None or helper.kind in {Kind.DO, Kind.HAVE})
    said = f"{_DO[finite.tag_]} not {base_form(finite.lower_, finite.tag_)}" if main else negated(finite.lower_)
    return text[: finite.idx] + said + text[finite.idx + len(finite) :]
