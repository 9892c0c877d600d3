"""Questions whose question phrase is the subject: "Which of these provides evidence?"."""

import re

from situatedgen.rules.choice.agreement import agreeing
from situatedgen.rules.choice.answers import Answer
from situatedgen.rules.choice.clausal import is_about_saying, quoted, state_clause
from situatedgen.rules.choice.drafts import Draft
from situatedgen.rules.choice.forms import Form
from situatedgen.rules.choice.happening import happens_to
from situatedgen.rules.choice.identity import state_identity
from situatedgen.rules.choice.kinds import Kind, single, with_kind_article
from situatedgen.rules.choice.lexicon import noun_list, parts_of_speech
from situatedgen.rules.choice.slots import is_modifier, is_named_place, repeats, slot_words
from situatedgen.rules.choice.verbs import gerund
from situatedgen.rules.clauses.auxiliaries import auxiliary
from situatedgen.rules.clauses.lexicon import words

_SUPERLATIVE = re.compile(r"\b(?:most|least|first|last|only|best|largest|\w{3,}est)\b", re.I)
_BARE_SUPERLATIVE = re.compile(r"the (?:(?:most|least) \w+|best|\w+est)(?: (?:for|to|in|at|from|when|if)\b|$)", re.I)
_TOPIC = re.compile(r"^.*?\b(?:about|regarding|concerning) (?P<topic>.+)$")
_GROUPS = words("group list set pair order sequence combination")
_INVARIANT = words("fish deer sheep moose salmon trout shrimp aircraft spacecraft species")
_MENTIONED = words("term word phrase name symbol")
_WOULD_BE = re.compile(
    r"^(?P<verb>(?:will|would|could|might|may|should|must|can)(?: most likely| likely| probably| best| also)* be"
    r"(?: most likely| likely| probably| best)?) (?P<noun>(?:the|his|her|its|their|your|an?) .+)$",
    re.I,
)


def state_subject(rest: str, answer: Answer, kind: Kind) -> Draft:
    """The answer as the subject of the clause after the question phrase.

    Example:
        "has the most books", "library", kind "building in Washington" gives "the library is the building in
        Washington that has the most books"; without a kind "the library has the most books".
    """
    phrase = answer.form is Form.NOUN and _is_rather_verb(answer)
    if (answer.form in {Form.VERB, Form.GERUND} or phrase) and (done := happens_to(rest, answer)):
        return done
    identity = _WOULD_BE.match(rest)
    if identity and not _BARE_SUPERLATIVE.match(identity["noun"]):
        return state_identity(identity["noun"], identity["verb"], answer, kind)
    if answer.form in {Form.QUESTION, Form.CLAUSE}:
        return _clause(rest, answer, kind)
    return _noun(rest, answer, kind)


def _is_rather_verb(answer: Answer) -> bool:
    """A phrase that opens with a verb and no adjective, though its words may make a noun: "catch on fire"."""
    first, _, rest = answer.text.partition(" ")
    return bool(rest) and answer.may_be_verb and not answer.plural and "ADJ" not in parts_of_speech(first.lower())


def _clause(rest: str, answer: Answer, kind: Kind) -> Draft:
    if answer.form is Form.QUESTION or _is_said(kind, rest):
        return quoted(answer, agreeing(rest, plural=False, was_plural=True), "")
    topic = _TOPIC.match(kind.text)
    return state_clause(rest, answer, topic=topic["topic"] if topic else "")


def _is_said(kind: Kind, rest: str) -> bool:
    asked = not kind.text and rest.startswith("is ") and is_about_saying(rest.split(" that ", 1)[0])
    return asked or kind.head in {"question", "questions"}


def _noun(rest: str, answer: Answer, kind: Kind) -> Draft:
    if kind.head in _GROUPS and " of " in kind.text and re.search(r",| and ", answer.text):
        return Draft(f"{answer.noun} {'are' if answer.plural else 'is'} a {kind.text} that {rest}", "subject_group")
    if kind.head in _GROUPS and re.search(r",| and ", answer.text):
        clause = agreeing(rest, plural=False, was_plural=True)
        return Draft(f"the {kind.text} of {answer.text} {clause}", "subject_group")
    if is_modifier(kind, answer):
        clause = agreeing(rest, plural=kind.plural, was_plural=kind.plural)
        return Draft(f"{slot_words(kind, answer)} {clause}", "subject_modified")
    if answer.form is Form.NOUN and not repeats(kind, answer) and ("," in kind.text or kind.restricts):
        return _restricted(rest, answer, kind)
    return _plain(rest, answer, kind)


def _plain(rest: str, answer: Answer, kind: Kind) -> Draft:
    subject = answer.place if kind.head in noun_list("places") else gerund(answer)
    if kind.head in _MENTIONED:
        subject = answer.text
    shape = "which_of" if kind.listed else "subject_kind" if kind.text else "subject"
    if answer.form in {Form.ADJECTIVE, Form.ADVERBIAL} or auxiliary(answer.text.split(" ", 1)[0]) is not None:
        shape = "subject_odd"
    elif _is_done(rest, answer):
        shape = "subject_done"
    plural = answer.plural or (kind.plural and answer.head in _INVARIANT)
    return Draft(f"{subject} {agreeing(rest, plural=plural, was_plural=kind.plural)}", shape)


def _is_done(rest: str, answer: Answer) -> bool:
    """Something that is rather done than happens: a verb, or a noun that would happen to someone."""
    happens = re.match(r"(?:\w+ ){0,3}(?:happen|occur)\w*\b(?P<whom> to\b)?", rest)
    return happens is not None and (answer.form is Form.VERB or answer.may_be_verb or bool(happens["whom"]))


def _restricted(rest: str, answer: Answer, kind: Kind) -> Draft:
    """The answer with what restricts it: an aside, "the western state of …", or "is the … that"."""
    subject = answer.place if kind.head in noun_list("places") else answer.noun
    clause = agreeing(rest, plural=answer.plural, was_plural=kind.plural)
    kind = kind if answer.plural else single(kind)
    if "," in kind.text:
        return Draft(f"{subject}, {kind.text.split(',', 1)[1].strip(' ,')}, {clause}", "subject_aside")
    if is_named_place(kind, answer):
        return Draft(f"{slot_words(kind, answer)} {clause}", "subject_place")
    noun = with_kind_article(kind)
    if noun.startswith(("a ", "an ")) and _SUPERLATIVE.search(rest):
        noun = f"the {kind.text}"
    said = rest if answer.plural or kind.plural else clause
    return Draft(f"{subject} {'are' if answer.plural else 'is'} {noun} that {said}", "subject_restricted")
