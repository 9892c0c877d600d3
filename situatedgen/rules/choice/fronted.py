"""Questions that begin with their question phrase, handed to the rule of their shape."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from situatedgen.rules.choice.adverbials import state_manner, state_piped, state_when, state_where, state_why
from situatedgen.rules.choice.answers import Answer, Form
from situatedgen.rules.choice.declaring import declare_gapped
from situatedgen.rules.choice.drafts import Draft
from situatedgen.rules.choice.identity import state_identity
from situatedgen.rules.choice.kinds import Kind, read_kind, slot_words
from situatedgen.rules.choice.measures import MEASURE, amount, state_amount, state_amount_subject
from situatedgen.rules.choice.objects import state_object
from situatedgen.rules.choice.splitting import FrontedQuestion, Mode, split_question
from situatedgen.rules.choice.subjects import state_subject
from situatedgen.rules.choice.verbs import gerund

if TYPE_CHECKING:
    from spacy.tokens import Doc

    from situatedgen.rules.clauses.work import Parsing

_BE_ADVERB = re.compile(
    r"^(?P<verb>(?:is|are|was|were)(?:n't| not)?(?: most likely| least likely| likely| probably| usually| often| also| not"
    r"| always| mainly| generally| best)+) (?P<noun>.+)$",
    re.I,
)
_HEDGES = frozenset({"about", "approximately", "around", "roughly", "almost", "exactly"})
_CONTRACTED = re.compile(r"^['’](?:s|re)\b")


def state_fronted(doc: Doc, asked: int, answer: Answer) -> Parsing[Draft | None]:
    """The draft of a parsed question whose question word is at a token, None when it has no shape we know."""
    question = yield from split_question(doc, asked)
    if question is None:
        return None
    rest = _CONTRACTED.sub(lambda match: " is" if match[0].endswith("s") else " are", question.rest).strip()
    if question.word == "how" and (measure := MEASURE.match(question.kind)):
        return (yield from _measured(question, rest, measure, answer))
    if question.word in {"where", "when", "why", "how"}:
        return (yield from _adverbial(question, rest, answer))
    return (yield from _nominal(question, rest, answer))


def _nominal(question: FrontedQuestion, rest: str, answer: Answer) -> Parsing[Draft | None]:
    kind = read_kind(question.kind)
    before = _preposition(question)
    if before:
        return (yield from _piped(before, rest, answer, kind))
    if question.mode is Mode.SUBJECT:
        return state_subject(rest, answer, kind)
    adverb = _BE_ADVERB.match(rest)
    if question.mode is Mode.BE_NOUN and adverb:
        return state_identity(adverb["noun"], adverb["verb"], answer, kind)
    if question.mode is Mode.BE_NOUN:
        noun = yield from _whole_noun(rest)
        if noun:
            return state_identity(noun, rest.split(" ", 1)[0].lower(), answer, kind)
    found = yield from declare_gapped(rest, nominal=True)
    if found is None:
        return None
    if question.mode is Mode.BE_NOUN and found.text.endswith(f" {found.declarative.auxiliary.form}"):
        noun = found.text[: found.declarative.subject.end]
        return state_identity(noun, found.declarative.auxiliary.form, answer, kind)
    return state_object(found, answer, kind)


def _whole_noun(rest: str) -> Parsing[str]:
    """The noun phrase after a form of be, when "It is …" has it whole; "" when more than one stands there."""
    verb, _, noun = rest.partition(" ")
    (doc,) = yield [f"It {verb} {noun}."]
    root = next(token for token in doc if token.dep_ == "ROOT")
    attribute = next((child for child in root.rights if child.dep_ == "attr"), None)
    if root.i != 1 or attribute is None or attribute.left_edge.i != 2 or attribute.pos_ not in {"NOUN", "PROPN"}:
        return ""
    last = doc[-2] if doc[-1].is_punct else doc[-1]
    whole = attribute.right_edge.i >= last.i and last.pos_ != "ADP" and last.tag_ not in {"VBG", "VBN", "JJ", "TO"}
    return noun if whole and doc[2].lower_ in {"the", "a", "an", "one", "two", "some"} else ""


def _piped(before: str, rest: str, answer: Answer, kind: Kind) -> Parsing[Draft | None]:
    found = yield from declare_gapped(rest, nominal=False)
    if found is None:
        return None
    words = gerund(answer) if answer.form in {Form.VERB, Form.INFINITIVE} else slot_words(kind, answer)
    if answer.form is Form.ADVERBIAL:
        return state_piped(found, answer.text, 0.7)
    return state_piped(found, f"{before} {words}", 0.75 if answer.form is Form.NOUN else 0.5)


def _adverbial(question: FrontedQuestion, rest: str, answer: Answer) -> Parsing[Draft | None]:
    if question.mode is Mode.SUBJECT and question.word == "where":
        return state_subject(rest, answer, read_kind(""))
    found = yield from declare_gapped(rest, nominal=False)
    if found is None:
        return None
    before = _preposition(question)
    if question.word == "where" and before:
        return state_piped(found, f"{before} {answer.noun}", 0.75)
    if question.word == "where":
        return state_where(found, answer, question.kind)
    rules = {"when": state_when, "why": state_why, "how": state_manner}
    return rules[question.word](found, answer)


def _measured(
    question: FrontedQuestion, rest: str, measure: re.Match[str], answer: Answer
) -> Parsing[Draft | None]:
    hedge = question.before.lower() if question.before.lower() in _HEDGES else ""
    words = amount(measure["degree"].lower(), measure["noun"], answer, hedge)
    if question.mode is Mode.SUBJECT:
        return state_amount_subject(rest, measure["degree"].lower(), words, answer)
    found = yield from declare_gapped(rest, nominal=False)
    if found is None:
        return None
    return state_amount(found, measure["degree"].lower(), measure["noun"], words)


def _preposition(question: FrontedQuestion) -> str:
    words = [word for word in question.before.lower().split() if word not in _HEDGES | {"and", "so", "but", "then"}]
    hedges = [word for word in question.before.lower().split() if word in _HEDGES]
    return " ".join([*words, *hedges]) if words else ""


