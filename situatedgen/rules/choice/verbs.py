"""Answers that are verbs, put into the form their place asks for."""

from __future__ import annotations

import re

from situatedgen.rules.choice.answers import Answer
from situatedgen.rules.choice.articles import indefinite
from situatedgen.rules.choice.forms import Form
from situatedgen.rules.choice.lexicon import (
    NOUNS_IN_ING,
    PREPOSITIONS,
    is_plural_noun,
    noun_list,
    parts_of_speech,
    verb_lemma,
)
from situatedgen.rules.clauses.lexicon import words
from situatedgen.rules.clauses.morphology import inflect, may_be_base

_KEEPS_BARE = words(
    "home company stage fire bed school work church asleep awake tv hands line sleep college court debt love jail"
    " prison class trouble danger mind action shape time space town control heart hurt run swim play help care part"
    " place fun sense change war peace rope"
    " use dance jump all everything television fruit score tag balance emotion haste code"
)
_DETERMINED = words(
    "them it him us me you this that"
    " a an the his her its their your my our some any no each one two up out off on in to at all every"
)
_BODY = words("mouth head eyes hands teeth face nose arms legs heart feet lips arm leg foot mind breath hair eye hand")
_OF_ONESELF = words(
    "open close clear wash brush raise shut bow nod cover cross rub wipe lift turn shave move stretch change lose catch"
)
_FIXED = {"play ball": "ball", "set table": "the table", "pass sentence": "sentence"}
_ADVERBS = words("not never always quickly")
_MODALS = words("may might can will would could should")
_JOINED_VERB = re.compile(r"(,? and) (see|observe|record|measure|monitor|compare|wait|watch|use|count|write|add)( |$)")
_TO_NOUN = re.compile(r"^(?:for|about|into|with|from|like|on) [a-z]+(?: [a-z]+)?$")


def verb_phrase(answer: Answer, tag: str) -> str:
    """The answer as a verb phrase in the form that a Penn tag names, or "" when it is none.

    Example:
        "complete job" under VBD becomes "completed a job".
    """
    first, _, rest = _base_words(answer).partition(" ")
    if not first:
        return ""
    if first in _ADVERBS:
        return f"{first} {inflect(rest.split(' ', 1)[0], tag)}{rest[len(rest.split(' ', 1)[0]) :]}"
    if rest in _BODY and first in _OF_ONESELF:
        return f"{inflect(first, tag)} one's {rest}"
    if f"{first} {rest}" in _FIXED:
        return f"{inflect(first, tag)} {_FIXED[f'{first} {rest}']}"
    joined = _JOINED_VERB.sub(lambda match: f"{match[1]} {inflect(match[2], tag)}{match[3]}", rest)
    return f"{inflect(first, tag)} {_with_object(joined)}".strip()


def is_verbal(answer: Answer) -> bool:
    """The answer may be read as a verb phrase."""
    return bool(_base_words(answer))


def gerund(answer: Answer) -> str:
    """The answer as a noun: a verb phrase as its gerund, a noun with its article, anything else as it is."""
    if answer.form in {Form.VERB, Form.INFINITIVE}:
        return verb_phrase(answer, "VBG") or answer.text
    return answer.noun


def infinitive(answer: Answer) -> str:
    """The answer as "to" and a verb phrase, or "" when it is none."""
    phrase = verb_phrase(answer, "VB")
    return f"to {phrase}" if phrase else ""


def _base_words(answer: Answer) -> str:
    """The verb phrase with its verb in the base form, "" when the answer is none."""
    first, *rest = answer.text.split(" ")
    if answer.form is Form.VERB and first in _MODALS:
        return " ".join(rest)
    if answer.form is Form.INFINITIVE:
        return " ".join(rest)
    if answer.form is Form.GERUND or (answer.form is Form.VERB and not may_be_base(first.lower())):
        return " ".join([verb_lemma(first), *rest])
    if answer.form in {Form.CLAUSE, Form.QUESTION, Form.ADVERBIAL}:
        return ""
    if first.lower() in _ADVERBS and rest and may_be_base(rest[0]):
        return answer.text
    if answer.form is Form.NOUN and answer.text.endswith("ing"):
        return ""
    return answer.text if answer.may_be_verb else ""


def _with_object(rest: str) -> str:
    """The words after a verb, a bare counted noun with its article."""
    if _TO_NOUN.match(rest):
        preposition, _, noun = rest.partition(" ")
        return f"{preposition} {_with_object(noun)}"
    if not _is_bare_noun(rest.lower().split()) or rest[0].isupper():
        return rest
    article = "the" if rest.lower().split()[-1] in noun_list("definite") else indefinite(rest)
    return f"{article} {rest}"


def _is_bare_noun(parts: list[str]) -> bool:
    """One or two words that make a counted noun in the singular without an article."""
    if not 1 <= len(parts) <= 2 or parts[0] in PREPOSITIONS | _DETERMINED or parts[0].endswith("self"):
        return False
    if is_plural_noun(parts[0]):
        return False
    last = parts[-1]
    if last in noun_list("mass") | _KEEPS_BARE or last.endswith(("s", "self", "selves")) or is_plural_noun(last):
        return False
    if set(parts_of_speech(last)) not in ({"NOUN"}, {"NOUN", "VERB"}):
        return False
    described = len(parts) == 1 or bool({"NOUN", "ADJ"} & set(parts_of_speech(parts[0])))
    return described and not (last.endswith("ing") and last not in NOUNS_IN_ING)
