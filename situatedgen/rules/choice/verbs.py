"""Answers that are verbs, put into the form their place asks for."""

from __future__ import annotations

import re

from situatedgen.rules.choice.answers import Answer, Form
from situatedgen.rules.choice.articles import indefinite
from situatedgen.rules.choice.lexicon import (
    NOUNS_IN_ING,
    PREPOSITIONS,
    is_plural_noun,
    noun_list,
    parts_of_speech,
    verb_lemma,
)
from situatedgen.rules.clauses.morphology import inflect, may_be_base

_KEEPS_BARE = frozenset(
    "home bed school work church asleep awake tv hands line sleep college court debt love jail prison class trouble danger mind"
    " action shape time space town control heart hurt run swim play help care part place fun sense change use dance jump".split()
)
_TO_NOUN = re.compile(r"^(?:for|about|into|with|from|like|on) [a-z]+(?: [a-z]+)?$")


def verb_phrase(answer: Answer, tag: str) -> str:
    """The answer as a verb phrase in the form that a Penn tag names, or "" when it is none.

    Example:
        "complete job" under VBD becomes "completed a job".
    """
    base = _base_words(answer)
    if not base:
        return ""
    first, _, rest = base.partition(" ")
    return f"{inflect(first, tag)} {_with_object(rest)}".strip()


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
    words = answer.text.split(" ")
    if answer.form is Form.INFINITIVE:
        return " ".join(words[1:])
    first = words[0].lower()
    if answer.form is Form.GERUND:
        return " ".join([verb_lemma(first), *words[1:]])
    if answer.form in {Form.CLAUSE, Form.QUESTION, Form.ADVERBIAL}:
        return ""
    if first in {"not", "never", "always", "quickly"} and len(words) > 1 and may_be_base(words[1]):
        return answer.text
    if answer.form is Form.NOUN and words[-1].endswith("ing"):
        return ""
    if answer.form is Form.VERB and not may_be_base(first):
        return " ".join([verb_lemma(first), *words[1:]])
    return answer.text if answer.may_be_verb else ""


def _with_object(rest: str) -> str:
    """The words after a verb, a bare counted noun with its article."""
    if _TO_NOUN.match(rest):
        preposition, _, noun = rest.partition(" ")
        return f"{preposition} {_with_object(noun)}"
    words = rest.split(" ")
    last = words[-1].lower()
    found = parts_of_speech(last)
    counted = set(found) in ({"NOUN"}, {"NOUN", "VERB"})
    if (
        not rest
        or not counted
        or not 1 <= len(words) <= 2
        or last in noun_list("mass") | _KEEPS_BARE
        or last.endswith(("self", "selves"))
    ):
        return rest
    first = parts_of_speech(words[0].lower())
    if words[0].lower() in PREPOSITIONS or last.endswith("s"):
        return rest
    if len(words) == 2 and not ("NOUN" in first or "ADJ" in first) or rest[0].isupper():
        return rest
    if is_plural_noun(last) or (last.endswith("ing") and last not in NOUNS_IN_ING) or words[0].lower() in _DETERMINED:
        return rest
    article = "the" if last in noun_list("definite") else indefinite(rest)
    return f"{article} {rest}"


_DETERMINED = frozenset(
    "a an the his her its their your my our some any no each one two up out off on in to at all everything".split()
)
