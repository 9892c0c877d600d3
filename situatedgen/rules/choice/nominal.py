"""Questions that ask with a noun: what, which, who, with or without a preposition in front."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from situatedgen.rules.choice.adverbials import state_piped
from situatedgen.rules.choice.answers import Answer, Form
from situatedgen.rules.choice.declaring import declare_gapped, doubt
from situatedgen.rules.choice.identity import state_identity
from situatedgen.rules.choice.kinds import Kind, read_kind, slot_words
from situatedgen.rules.choice.objects import state_object
from situatedgen.rules.choice.places import place_phrase
from situatedgen.rules.choice.splitting import FrontedQuestion, Mode
from situatedgen.rules.choice.subjects import state_subject
from situatedgen.rules.choice.verbs import gerund

if TYPE_CHECKING:
    from spacy.tokens import Token

    from situatedgen.rules.choice.drafts import Draft
    from situatedgen.rules.clauses.work import Parsing

_BE_NOUN = re.compile(
    r"^(?P<verb>(?:is|are|was|were)(?:n't| not)?(?: most likely| least likely| likely| probably| usually| often| also| not"
    r"| always| mainly| generally| best| NOT)*) (?P<noun>.+)$",
    re.I,
)
_PREDICATE = re.compile(r"^(?:(?!\b(?:that|who|which|where)\b).)*? (?:likely|unlikely|able|supposed|going) to\b", re.I)
_OPENS_NOUN = frozenset("the a an one two some something someone his her its their my your our".split())
_OWNED = re.compile(r"^(?P<owner>.+?)['’]s? (?P<owned>.+)$")


def state_nominal(question: FrontedQuestion, rest: str, before: str, answer: Answer) -> Parsing[Draft | None]:
    """The draft of a question that asks with a noun; `before` is the preposition in front of it."""
    kind = read_kind(question.kind)
    if before:
        return (yield from _piped(before, rest, answer, kind))
    owned = _OWNED.match(question.kind)
    if owned and question.mode is not Mode.INVERTED:
        return state_subject(rest, _owner(answer, owned), read_kind(""))
    if question.mode is Mode.SUBJECT:
        return state_subject(rest, answer, kind)
    if question.mode is Mode.BE_NOUN:
        noun = yield from _being(rest, bare_which=question.word == "which" and (kind.listed or not kind.text))
        if noun is not None:
            return state_identity(noun["noun"], noun["verb"], answer, kind)
    return (yield from _inverted(rest, answer, kind, be_noun=question.mode is Mode.BE_NOUN))


def _inverted(rest: str, answer: Answer, kind: Kind, *, be_noun: bool) -> Parsing[Draft | None]:
    found = yield from declare_gapped(rest, nominal=True)
    if found is None:
        return None
    form = found.declarative.auxiliary.form
    if be_noun and found.text.endswith(f" {form}"):
        return state_identity(found.text[: found.declarative.subject.end], form, answer, kind).doubted(doubt(found))
    return state_object(found, answer, kind).doubted(doubt(found))


def _being(rest: str, *, bare_which: bool) -> Parsing[re.Match[str] | None]:
    """The form of be and the whole noun phrase after it, None when that is a subject with its predicate."""
    found = _BE_NOUN.match(rest)
    if found is None or bare_which or " " in found["verb"]:
        return found
    if _PREDICATE.match(found["noun"]):
        return None
    (doc,) = yield [f"It {rest}."]
    root = next(token for token in doc if token.dep_ == "ROOT")
    attribute = next((child for child in root.rights if child.dep_ == "attr"), None)
    if (
        root.i != 1
        or attribute is None
        or attribute.left_edge.i != 2
        or attribute.pos_ not in {"NOUN", "PROPN", "PRON"}
    ):
        return None
    last = doc[-2] if doc[-1].is_punct else doc[-1]
    open_end = last.pos_ == "ADP" and not any(token.tag_ in {"WDT", "WP"} for token in doc)
    related = any(child.dep_ == "relcl" for child in attribute.rights)
    closed = not open_end and (related or last.tag_ not in {"VBG", "VBN", "JJ", "TO"})
    whole = attribute.right_edge.i >= last.i and closed
    if any(child.dep_ == "acl" and _lacks_something(child) for child in attribute.rights):
        return None
    return found if whole and doc[2].lower_ in _OPENS_NOUN else None


def _lacks_something(participle: Token) -> bool:
    """A participle after the noun that is rather the predicate of a question: "a light year used to measure"."""
    if participle.lower_ in {"called", "named"}:
        return True
    return any(
        child.dep_ == "xcomp" and not any(one.dep_ == "dobj" for one in child.rights) for child in participle.rights
    )


def _piped(before: str, rest: str, answer: Answer, kind: Kind) -> Parsing[Draft | None]:
    found = yield from declare_gapped(rest, nominal=False)
    if found is None:
        return None
    words = gerund(answer) if answer.form in {Form.VERB, Form.INFINITIVE} else slot_words(kind, answer)
    if answer.form is Form.ADVERBIAL:
        return state_piped(found, answer.text, 0.7)
    if kind.text in {"location", "place"} and before in {"in", "at", "on"}:
        return state_piped(found, place_phrase(answer), 0.75)
    if answer.form is Form.CLAUSE:
        glue = "in that" if kind.head in {"way", "manner", "respect"} else f"{before} the {kind.head} that"
        return state_piped(found, f"{glue} {answer.text}", 0.55 if glue == "in that" else 0.25)
    return state_piped(found, f"{before} {words}", 0.75 if answer.form is Form.NOUN else 0.5)


def _owner(answer: Answer, owned: re.Match[str]) -> Answer:
    """The answer as the owner of what the question asks about: "the reproductive system's primary function"."""
    words = slot_words(read_kind(owned["owner"]), answer)
    return replace(answer, noun=f"{words}'s {owned['owned']}", plural=False, form=Form.NOUN)
