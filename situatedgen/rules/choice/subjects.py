"""Questions whose question phrase is the subject: "Which of these provides evidence?"."""

import re

from situatedgen.rules.choice.agreement import agreeing
from situatedgen.rules.choice.answers import Answer, Form
from situatedgen.rules.choice.clausal import happens_to, is_about_saying, quoted, state_clause
from situatedgen.rules.choice.drafts import Draft
from situatedgen.rules.choice.identity import state_identity
from situatedgen.rules.choice.kinds import PLACES, Kind, is_modifier, is_named_place, slot_words, with_kind_article
from situatedgen.rules.choice.verbs import gerund

_SUPERLATIVE = re.compile(r"\b(?:most|least|first|last|only|best|largest|\w{3,}est)\b", re.I)
_GROUPS = frozenset("group list set pair order sequence combination".split())
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
    if answer.form in {Form.VERB, Form.GERUND} and (done := happens_to(rest, answer)):
        return done
    identity = _WOULD_BE.match(rest)
    if identity:
        return state_identity(identity["noun"], identity["verb"], answer, kind)
    if answer.form is Form.QUESTION or (answer.form is Form.CLAUSE and _is_said(kind, rest)):
        return quoted(answer, agreeing(rest, plural=False, was_plural=True), "")
    if answer.form is Form.CLAUSE:
        return state_clause(rest, answer, topic=_topic(kind))
    if kind.head in _GROUPS and re.search(r",| and ", answer.text):
        subject = f"the {kind.text} of {answer.text}"
        return Draft(f"{subject} {agreeing(rest, plural=False, was_plural=True)}", "choice.subject_group", 0.6)
    if "," in kind.text and answer.form is Form.NOUN and not _repeated(kind, answer):
        aside = kind.text.split(",", 1)[1].strip(" ,")
        clause = agreeing(rest, plural=answer.plural, was_plural=kind.plural)
        return Draft(f"{answer.noun}, {aside}, {clause}", "choice.subject_aside", 0.65)
    if is_modifier(kind, answer):
        words = agreeing(rest, plural=kind.plural, was_plural=kind.plural)
        return Draft(f"{slot_words(kind, answer)} {words}", "choice.subject_modified", 0.7)
    if kind.restricts and answer.form is Form.NOUN and not _repeated(kind, answer):
        return _restricted(rest, answer, kind)
    subject = answer.place if kind.head in PLACES else gerund(answer)
    if kind.head in {"term", "word", "phrase", "name", "symbol"} and answer.form is not Form.CLAUSE:
        subject = answer.text
    shape = "choice.which_of" if kind.listed else "choice.subject_kind" if kind.text else "choice.subject"
    sure = 0.2 if answer.form in {Form.ADJECTIVE, Form.ADVERBIAL} else 0.85 if kind.listed else 0.75
    return Draft(f"{subject} {agreeing(rest, plural=answer.plural, was_plural=kind.plural)}", shape, sure)


def _repeated(kind: Kind, answer: Answer) -> bool:
    return kind.head in answer.text.lower().split()


def _topic(kind: Kind) -> str:
    """What a statement that is asked for is about."""
    found = re.match(r"^.*?\b(?:about|regarding|concerning) (?P<topic>.+)$", kind.text)
    return found["topic"] if found else ""


def _restricted(rest: str, answer: Answer, kind: Kind) -> Draft:
    if is_named_place(kind, answer):
        return Draft(f"{slot_words(kind, answer)} {rest}", "choice.subject_place", 0.8)
    verb = "are" if answer.plural else "is"
    noun = with_kind_article(kind)
    if noun.startswith(("a ", "an ")) and _SUPERLATIVE.search(rest):
        noun = f"the {kind.text}"
    subject = answer.place if kind.head in PLACES else answer.noun
    comma = "," if "," in kind.text else ""
    return Draft(f"{subject} {verb} {noun}{comma} that {rest}", "choice.subject_restricted", 0.7)


def _is_said(kind: Kind, rest: str) -> bool:
    return kind.head in {"question", "questions"} or (
        not kind.text and is_about_saying(rest.split(" that ")[0]) and rest.startswith("is ")
    )
