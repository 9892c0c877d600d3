"""Questions that begin with their question phrase, handed to the rule of their shape."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from situatedgen.rules.choice.adverbials import splice_adverbial
from situatedgen.rules.choice.answers import Answer
from situatedgen.rules.choice.declaring import declare_gapped, doubt
from situatedgen.rules.choice.drafts import Draft
from situatedgen.rules.choice.how import state_how
from situatedgen.rules.choice.identity import state_identity
from situatedgen.rules.choice.kinds import read_kind
from situatedgen.rules.choice.lexicon import PREPOSITIONS
from situatedgen.rules.choice.measures import MEASURE, amount, state_amount, state_amount_subject
from situatedgen.rules.choice.modes import Mode
from situatedgen.rules.choice.nominal import state_nominal
from situatedgen.rules.choice.splitting import FrontedQuestion, split_question
from situatedgen.rules.choice.subjects import state_subject
from situatedgen.rules.choice.when import state_when
from situatedgen.rules.choice.where import state_where
from situatedgen.rules.choice.why import reason, state_why

if TYPE_CHECKING:
    from spacy.tokens import Doc

    from situatedgen.rules.clauses.work import Parsing

_HEDGES = frozenset({"about", "approximately", "around", "roughly", "almost", "exactly"})
_CONTRACTED = re.compile(r"^['’](?:s|re)\b")
_IT_IS_THAT = re.compile(r"^(?:is|was) it that (?P<fact>.+)$", re.I)
_COMPARED = re.compile(r"^(?P<clause>(?:is|are|was|were) .+?) (?P<tail>(?:than|from|away from|to) .+)$")
_IS_PLACE = re.compile(
    r"^(?P<verb>(?:is|are|was|were|would be|might be|could be)(?: most likely| likely| probably)?)"
    r" (?P<noun>(?:an?|the|one|another|some) (?:[\w-]+ ){0,3}?"
    r"(?:place|places|location|spot|area|room|store)\b.*)$",
    re.I,
)


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
    return (yield from state_nominal(question, rest, _preposition(question), answer))


def _adverbial(question: FrontedQuestion, rest: str, answer: Answer) -> Parsing[Draft | None]:
    if question.word == "where" and (place := _IS_PLACE.match(rest)):
        return state_identity(place["noun"], place["verb"], answer, read_kind(""))
    within = question.kind if question.kind.split(" ", 1)[0].lower() in PREPOSITIONS else ""
    if question.mode is Mode.SUBJECT and question.word == "where":
        return state_subject(rest, answer, read_kind(f"place, {within}" if within else "place"))
    if question.word == "why" and (fact := _IT_IS_THAT.match(rest)):
        return Draft(f"{fact['fact']} {reason(answer)}", "why")
    found = yield from declare_gapped(rest, nominal=False)
    if found is None:
        return None
    before = _preposition(question)
    if question.word == "where" and before:
        return Draft(splice_adverbial(found, f"{before} {answer.place}"), "preposition")
    if question.word == "where":
        return state_where(found, answer, question.kind).doubted(doubt(found))
    rules = {"when": state_when, "why": state_why, "how": state_how}
    return rules[question.word](found, answer).doubted(doubt(found))


def _measured(question: FrontedQuestion, rest: str, measure: re.Match[str], answer: Answer) -> Parsing[Draft | None]:
    hedge = question.before.lower() if question.before.lower() in _HEDGES else ""
    degree = measure["degree"].lower()
    words = amount(degree, measure["noun"], answer, hedge)
    if question.mode is Mode.SUBJECT:
        return state_amount_subject(rest, degree, words, answer)
    apart = degree == "far" and not measure["noun"]
    compared = _COMPARED.match(rest) if apart or measure["noun"].endswith("er") else None
    if compared:
        rest, words = compared["clause"], f"{words} {compared['tail']}"
    found = yield from declare_gapped(rest, nominal=False)
    if found is None:
        return None
    return state_amount(found, degree, measure["noun"], words).doubted(doubt(found))


def _preposition(question: FrontedQuestion) -> str:
    """The preposition in front of the question word, with a word like "about" after it."""
    parts = [word for word in question.before.lower().split() if word not in {"and", "so", "but", "then", ","}]
    hedges = [word for word in parts if word in _HEDGES]
    words = [word for word in parts if word not in _HEDGES]
    return " ".join([*words, *hedges]) if words else ""
