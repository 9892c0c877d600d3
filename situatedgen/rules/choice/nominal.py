"""Questions that ask with a noun: what, which, who, with or without a preposition in front."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from situatedgen.rules.choice.adverbials import splice_adverbial
from situatedgen.rules.choice.answers import Answer
from situatedgen.rules.choice.declaring import declare_gapped, doubt
from situatedgen.rules.choice.drafts import Draft
from situatedgen.rules.choice.forms import Form
from situatedgen.rules.choice.identity import state_identity
from situatedgen.rules.choice.kinds import Kind, read_kind
from situatedgen.rules.choice.lexicon import NOUNS_IN_ING, noun_list, parts_of_speech
from situatedgen.rules.choice.modes import Mode
from situatedgen.rules.choice.objects import state_object
from situatedgen.rules.choice.places import place_phrase
from situatedgen.rules.choice.sentences import root_of
from situatedgen.rules.choice.slots import is_named_place, slot_words
from situatedgen.rules.choice.splitting import FrontedQuestion
from situatedgen.rules.choice.subjects import state_subject
from situatedgen.rules.choice.verbs import gerund

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

    from situatedgen.rules.clauses.work import Parsing

_BE_NOUN = re.compile(
    r"^(?P<verb>(?:is|are|was|were)(?:n't| not)?(?: most likely| least likely| likely| probably| usually| often| also"
    r"| not| always| mainly| generally| best| typically| commonly| normally| NOT)*) (?P<noun>.+)$",
    re.I,
)
_PREDICATE = re.compile(
    r"^(?:(?!\b(?:that|who|which|where)\b).)*?"
    r" (?:(?:likely|unlikely|able|unable|supposed|going|trying|hoping) to|doing|waiting for)\b",
    re.I,
)
_OPEN_END = re.compile(
    r"^(?:(?!\b(?:that|who|which|where|you|we|they)\b).)*"
    r" (?:in|of|for|about|to|with|from|on|at|by)(?: \w+ing)?$",
    re.I,
)
_NAMED = re.compile(r" (?:called|named|likely to be)$", re.I)
_IS_CALLED = re.compile(
    r"^(?P<verb>is|are|was|were) (?P<noun>(?:(?! (?:most|often|usually|sometimes|also|commonly|is|are|was|were)\b).)+)"
    r" (?P<named>called|named)$",
    re.I,
)
_OPENS_NOUN = frozenset("the a an one two some something someone his her its their my your our".split())
_OWNED = re.compile(r"^(?P<owner>(?:(?! of ).)+?)['’]s? (?P<owned>.+)$")
_RELATED = re.compile(
    r"^(?:the|an?|one|two|three|four|some|something|someone)\b"
    r"(?:(?!\b(?:likely|able|known|called|used|made|said|thought|going)\b).)*? (?:that|who|which) \w+"
    r"|^(?:something|(?:the|one|an?) (?:[\w-]+ ){0,3}(?:things?|ways?|places?|reasons?|steps?))"
    r" (?:you|we|they|he|she|I|people|someone|children|kids|humans) \w+",
    re.I,
)


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
        if (called := _called(rest, answer)) is not None:
            return called
    return (yield from _inverted(rest, answer, kind, be_noun=question.mode is Mode.BE_NOUN))


def _called(rest: str, answer: Answer) -> Draft | None:
    """What something is called, where the question ends in that: "are the flowers that last forever called"."""
    found = _IS_CALLED.match(rest)
    if found is None:
        return None
    words = answer.text if answer.adjectival or answer.form is not Form.NOUN else answer.noun
    return Draft(f"{found['noun']} {found['verb']} {found['named']} {words}", "called")


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
    if found is not None and any(test.search(found["noun"]) for test in (_OPEN_END, _PREDICATE, _NAMED)):
        return None
    if found is None or bare_which or " " in found["verb"]:
        return found
    if _RELATED.match(found["noun"]):
        return found
    (doc,) = yield [f"It {rest}."]
    return found if _has_whole_noun(doc) else None


def _has_whole_noun(doc: Doc) -> bool:
    """One noun phrase, with all that belongs to it, stands after the verb of "It is …"."""
    root = root_of(doc)
    noun = next((child for child in root.rights if child.dep_ == "attr"), None)
    if root.i != 1 or noun is None or noun.left_edge.i != 2 or noun.pos_ not in {"NOUN", "PROPN", "PRON"}:
        return False
    last = doc[-2] if doc[-1].is_punct else doc[-1]
    if doc[2].lower_ not in _OPENS_NOUN or noun.right_edge.i < last.i or _is_open(doc, noun, last):
        return False
    return not any(child.dep_ == "acl" and _lacks_something(child) for child in noun.rights)


def _is_open(doc: Doc, noun: Token, last: Token) -> bool:
    """The phrase ends in a word that waits for the answer: a preposition, or a participle of no relative clause."""
    if last.pos_ == "ADP" and last.tag_ != "RP":
        return not any(token.tag_ in {"WDT", "WP"} for token in doc)
    if last.lower_.endswith("ing") and last.lower_ not in NOUNS_IN_ING and "VERB" in parts_of_speech(last.lower_):
        return not any(child.dep_ in {"relcl", "prep"} for child in noun.rights)
    related = any(child.dep_ == "relcl" for child in noun.rights)
    return not related and last.tag_ in {"VBG", "VBN", "JJ", "TO"}


def _lacks_something(participle: Token) -> bool:
    """A participle after the noun that is rather the predicate of a question: "a light year used to measure"."""
    if participle.lower_ in {"called", "named"}:
        return True
    return any(
        child.dep_ == "xcomp" and not any(one.dep_ == "dobj" for one in child.rights) for child in participle.rights
    )


def _piped(before: str, rest: str, answer: Answer, kind: Kind) -> Parsing[Draft | None]:
    """A question with its preposition in front: "On which date does …"."""
    found = yield from declare_gapped(rest, nominal=False)
    if found is None:
        return None
    plain = answer.form is Form.ADVERBIAL or (answer.form is Form.NOUN and not _is_apposed(kind, answer))
    shape = "preposition" if plain else "preposition_odd"
    return Draft(splice_adverbial(found, _piped_words(before, answer, kind)), shape).doubted(doubt(found))


def _is_apposed(kind: Kind, answer: Answer) -> bool:
    """What was asked for is said again after the answer, between commas."""
    return kind.restricts and not is_named_place(kind, answer) and kind.head not in noun_list("times")


def _piped_words(before: str, answer: Answer, kind: Kind) -> str:
    if answer.form is Form.ADVERBIAL:
        return answer.text
    if kind.text in {"location", "place"} and before in {"in", "at", "on"}:
        return place_phrase(answer)
    if answer.form is Form.CLAUSE:
        manner = kind.head in {"way", "manner", "respect"}
        return f"in that {answer.text}" if manner else f"{before} the {kind.head} that {answer.text}"
    verbal = answer.form in {Form.VERB, Form.INFINITIVE}
    return f"{before} {gerund(answer) if verbal else slot_words(kind, answer)}"


def _owner(answer: Answer, owned: re.Match[str]) -> Answer:
    """The answer as the owner of what the question asks about: "the reproductive system's primary function"."""
    words = slot_words(read_kind(owned["owner"]), answer)
    return replace(answer, noun=f"{words}'s {owned['owned']}", plural=False, form=Form.NOUN)
