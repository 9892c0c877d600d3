"""Questions that ask what something is: "What is the capital?", "Which is an example of erosion?"."""

import re

from situatedgen.rules.choice.agreement import agreeing
from situatedgen.rules.choice.answers import Answer
from situatedgen.rules.choice.articles import indefinite
from situatedgen.rules.choice.clausal import is_about_saying, quoted
from situatedgen.rules.choice.drafts import Draft
from situatedgen.rules.choice.forms import Form
from situatedgen.rules.choice.kinds import Kind, head_noun
from situatedgen.rules.choice.lexicon import DETERMINERS, is_plural_noun, noun_list, parts_of_speech
from situatedgen.rules.choice.slots import STATES, slot_words
from situatedgen.rules.choice.verbs import gerund, infinitive, verb_phrase

_DEFINITE = re.compile(
    r"^(?:the|his|her|its|their|our|my|your|one (?:of|\w+)|two|three|four|some|most|[A-Z][\w’']*['’]s|\w+['’]s)\b"
)
_DOING = re.compile(
    r"\b(?:goal|aim|purpose|plan|job|function|intention|duty|role|things? to do|way|method|action|step)\b"
    r"|\b(?:thing|something) (?:that )?(?:you|we|they|he|she|someone|(?:\w+ )?people|\w+s) (?:\w+ )?do\b",
    re.I,
)
_INDEFINITE = re.compile(r"^(?:an?|another|not an?|part of|examples?|kinds?|types?|ways?)\b", re.I)
_PRONOUN = re.compile(r"^(?:it|they|he|she|its|their)\b", re.I)
_MENTIONED = re.compile(r"^(?:the|another|an?) (?:[\w-]+ )?(?:name|word|term|synonym|symbol|formula|color)\b")


def state_identity(noun: str, verb: str, answer: Answer, kind: Kind) -> Draft:
    """What something is, the answer last after a definite noun phrase and first before an indefinite one.

    Example:
        "the most common source", "is", "coal" gives "the most common source is coal"; "a place that has a queen"
        and "England" give "England is a place that has a queen".
    """
    if answer.form in {Form.CLAUSE, Form.QUESTION}:
        return _clause(noun, verb, answer)
    noun = _with_article(noun)
    apart = bool(kind.text) and not kind.generic and _opens_described(noun)
    if _DEFINITE.match(noun) or kind.generic or not (apart or _INDEFINITE.match(noun)):
        return Draft(f"{noun} {verb} {_predicate(answer, kind, noun)}", "identity")
    return _is_a(noun, verb, answer, kind)


def _with_article(noun: str) -> str:
    """A counted noun that an adjective opens without an article, with it: "good way to learn"."""
    head = head_noun(noun)
    counted = not is_plural_noun(head) and head not in noun_list("mass")
    return f"{indefinite(noun)} {noun}" if counted and _opens_described(noun) else noun


def _opens_described(noun: str) -> bool:
    """An adjective opens the phrase, and no article or owner."""
    first = noun.split(" ", 1)[0]
    described = "ADJ" in parts_of_speech(first) and first not in DETERMINERS and head_noun(noun) != first
    return described and set(parts_of_speech(head_noun(noun))) == {"NOUN"}


def _predicate(answer: Answer, kind: Kind, noun: str) -> str:
    if answer.form is Form.VERB:
        return infinitive(answer)
    state = kind.head == "state" and answer.text in STATES
    if state or _MENTIONED.match(noun) or (answer.adjectival and not kind.text):
        return answer.text
    return infinitive(answer) if answer.may_be_verb and _DOING.search(noun) else slot_words(kind, answer)


def _is_a(noun: str, verb: str, answer: Answer, kind: Kind) -> Draft:
    doing = answer.may_be_verb and " " in answer.text and bool(_DOING.search(noun))
    subject = verb_phrase(answer, "VBG") if doing else slot_words(kind, answer) if kind.text else gerund(answer)
    if _MENTIONED.match(noun) and answer.form is Form.NOUN:
        subject = answer.text
    shape = "is_a_odd" if answer.form in {Form.ADJECTIVE, Form.ADVERBIAL} else "is_a"
    is_ = agreeing(verb, plural=answer.plural and not doing, was_plural=False)
    return Draft(f"{subject} {is_} {noun}", shape)


def _clause(noun: str, verb: str, answer: Answer) -> Draft:
    if is_about_saying(noun) or answer.form is Form.QUESTION:
        return quoted(answer, verb, noun)
    if _INDEFINITE.match(noun) and not _PRONOUN.match(answer.text):
        is_ = agreeing(verb, plural=False, was_plural=True)
        return Draft(f"{answer.text}, which {is_} {noun}", "clause_which")
    return Draft(f"{noun} {verb} that {answer.text}", "clause_that")
