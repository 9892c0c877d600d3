"""Questions that ask what something is: "What is the capital?", "Which is an example of erosion?"."""

import re

from situatedgen.rules.choice.agreement import agreeing
from situatedgen.rules.choice.answers import Answer, Form
from situatedgen.rules.choice.clausal import is_about_saying, quoted
from situatedgen.rules.choice.drafts import Draft
from situatedgen.rules.choice.kinds import Kind, slot_words
from situatedgen.rules.choice.verbs import gerund, infinitive, verb_phrase

_DEFINITE = re.compile(
    r"^(?:the|his|her|its|their|our|my|your|one (?:of|\w+)|two|three|four|some|most|[A-Z][\w’']*['’]s|\w+['’]s)\b"
)
_IS_DOING = re.compile(
    r"\b(?:goal|aim|purpose|plan|job|function|intention|duty|role|thing to do|way|method|action|step)\b", re.I
)
_IS_A_THING = re.compile(r"^(?:an?|another|not an?|part of|examples?|kinds?|types?|ways?)\b", re.I)


def state_identity(noun: str, verb: str, answer: Answer, kind: Kind) -> Draft:
    """What something is, the answer last after a definite noun phrase and first before an indefinite one.

    Example:
        "the most common source", "is", "coal" gives "the most common source is coal"; "a place that has a queen"
        and "England" give "England is a place that has a queen".
    """
    if answer.form in {Form.CLAUSE, Form.QUESTION}:
        return _clause(noun, verb, answer)
    if _DEFINITE.match(noun) or kind.generic or not _IS_A_THING.match(noun):
        return Draft(f"{noun} {verb} {_predicate(answer, kind, noun)}", "choice.identity", 0.8)
    doing = answer.may_be_verb and " " in answer.text and _IS_DOING.search(noun)
    subject = verb_phrase(answer, "VBG") if doing else slot_words(kind, answer) if kind.text else gerund(answer)
    plural = answer.plural and not doing
    sure = 0.4 if answer.form in {Form.ADJECTIVE, Form.ADVERBIAL} else 0.8
    return Draft(f"{subject} {agreeing(verb, plural=plural, was_plural=False)} {noun}", "choice.is_a", sure)


def _predicate(answer: Answer, kind: Kind, noun: str) -> str:
    if answer.form is Form.VERB:
        return infinitive(answer)
    if re.match(r"the (?:name|word|term|symbol|formula|color)\b", noun):
        return answer.text
    if answer.adjectival and not kind.text:
        return answer.text
    if answer.may_be_verb and _IS_DOING.search(noun):
        return infinitive(answer)
    return slot_words(kind, answer)


def _clause(noun: str, verb: str, answer: Answer) -> Draft:
    if is_about_saying(noun) or answer.form is Form.QUESTION:
        return quoted(answer, verb, noun)
    if _IS_A_THING.match(noun):
        return Draft(
            f"{answer.text}, which {agreeing(verb, plural=False, was_plural=True)} {noun}", "choice.clause_which", 0.6
        )
    return Draft(f"{noun} {verb} that {answer.text}", "choice.clause_that", 0.7)
