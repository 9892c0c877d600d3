"""What kind of phrase an answer is, judged by its words and by its parse alone and in a frame."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from situatedgen.rules.choice.lexicon import (
    DETERMINERS,
    NOUNS_IN_ING,
    PREPOSITIONS,
    SUBORDINATORS,
    is_adjective_only,
    noun_list,
    parts_of_speech,
    verb_list,
)
from situatedgen.rules.choice.sentences import is_clause
from situatedgen.rules.clauses.lexicon import words
from situatedgen.rules.clauses.morphology import may_be_base, may_be_participle

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span

_ADJECTIVE_ENDINGS = ("ic", "ary", "al", "ous", "ive", "ory", "able", "ible")
_OBJECT_PRONOUNS = words("me you him her it us them")
_PARTICLES = words("up out off away themselves himself yourself")
_QUESTION_WORDS = words("how what why where whether which who")
_NOUNS_BEFORE_TO = words("time need desire place plan chance right way")
_NOUN_PREPOSITIONS = words("in of from for")
_VERBS_ANYWAY = words("die go come stay sit")
_RARELY_NOUNS = words("think pretend concentrate kill flirt hide listen join")
_MODALS = words("may might can will would could should")


class Form(StrEnum):
    """What kind of phrase an answer is."""

    NOUN = "noun"
    VERB = "verb"
    GERUND = "gerund"
    INFINITIVE = "infinitive"
    ADVERBIAL = "adverbial"
    ADJECTIVE = "adjective"
    CLAUSE = "clause"
    QUESTION = "question"


def form_of(text: str, alone: Doc, phrase: Span, *, ended: bool) -> Form:
    """The form of an answer: its parse as a sentence, and its span in "It is …"; `ended` had a period."""
    parts = text.lower().split()
    if parts[0] == "to" and len(parts) > 1 and may_be_base(parts[1]):
        return Form.INFINITIVE
    if parts[0] in _QUESTION_WORDS:
        return Form.NOUN
    tests = (
        (Form.CLAUSE, is_clause(alone, ended=ended)),
        (Form.ADVERBIAL, _is_adverbial(parts)),
        (Form.GERUND, _is_gerund(parts, alone, phrase)),
        (Form.VERB, _is_verb_with_word(parts) or _is_helped(parts)),
        (Form.ADJECTIVE, _is_adjective(parts, phrase)),
        (Form.VERB, _is_verb(parts, alone, phrase) or (ended and _is_command(alone))),
    )
    return next((form for form, holds in tests if holds), Form.NOUN)


def _is_adverbial(parts: list[str]) -> bool:
    if len(parts) == 1:
        return parts[0] in noun_list("adverbs") or (parts[0].endswith("ly") and "ADV" in parts_of_speech(parts[0]))
    opening = parts[0] in PREPOSITIONS | SUBORDINATORS and parts[0] not in {"past", "like"}
    return opening or parts[:2] == ["due", "to"]


def _is_gerund(parts: list[str], alone: Doc, phrase: Span) -> bool:
    first = parts[0]
    if not first.endswith("ing") or "VERB" not in parts_of_speech(first.rpartition("-")[2]):
        return False
    if first in NOUNS_IN_ING:
        described = first == "feeling" and len(parts) > 1 and "ADJ" in parts_of_speech(parts[1])
        return described or (len(parts) > 1 and (first == "being" or _follows_gerund(parts[1])))
    if len(parts) == 1:
        return True
    if len(parts) == 2:
        return parts[1] not in noun_list("after_gerund") and phrase[0].dep_ not in {"compound", "amod"}
    return not (phrase[0].dep_ in {"compound", "amod"} and alone[0].dep_ in {"compound", "amod"})


def _follows_gerund(word: str) -> bool:
    found = parts_of_speech(word)
    return ("ADJ" in found and "NOUN" not in found) or may_be_participle(word)


def _is_adjective(parts: list[str], phrase: Span) -> bool:
    last = parts[-1]
    if phrase.text[0].isupper():
        return False
    if len(parts) > 1 and (_opens_participle(parts) or _are_adjectives(parts)):
        return True
    if len(parts) <= 3 and is_adjective_only(last) and last not in noun_list("mass"):
        return True
    found = parts_of_speech(last)
    if len(parts) == 1 and not found and phrase.root.tag_ == "JJ" and last.endswith(_ADJECTIVE_ENDINGS):
        return True
    described = ("ADJ" in found and "NOUN" not in found) or may_be_participle(last)
    return len(parts) == 1 and phrase.root.tag_ in {"JJ", "JJR", "JJS", "VBN"} and described


def _are_adjectives(parts: list[str]) -> bool:
    """Adjectives alone, joined: "warm and wet"."""
    described = [part.strip(",") for part in parts if part not in {"and", "or", "but"}]
    return len(described) < len(parts) and all("ADJ" in parts_of_speech(part) for part in described)


def _opens_participle(parts: list[str]) -> bool:
    """A participle with a preposition: "used to", "made of"."""
    return may_be_participle(parts[0]) and parts[1] in PREPOSITIONS and "NOUN" not in parts_of_speech(parts[0])


def _is_helped(parts: list[str]) -> bool:
    """A modal and its verb: "may laugh"."""
    return len(parts) > 1 and parts[0] in _MODALS and may_be_base(parts[1]) and "VERB" in parts_of_speech(parts[1])


def _is_verb_with_word(parts: list[str]) -> bool:
    """A verb with an adjective, an adverb or a particle: "fall asleep", "go down"."""
    found = parts_of_speech(parts[0])
    if len(parts) == 1 or not may_be_base(parts[0]) or "VERB" not in found:
        return False
    if "ADJ" in found:
        return parts[1] in {"off", "up", "out", "down"}
    following = set(parts_of_speech(parts[1]))
    descriptive = bool(following) and following <= {"ADJ", "ADV"} and parts[1] not in PREPOSITIONS
    return descriptive or parts[1] in _PARTICLES


def _is_verb(parts: list[str], alone: Doc, phrase: Span) -> bool:
    first = parts[0]
    found = parts_of_speech(first)
    if len(parts) == 1 and set(found) == {"VERB"} and first.endswith("s"):
        return True
    if len(parts) == 1:
        nominal = {"NOUN", "ADJ"} & set(found) and first not in _RARELY_NOUNS
        return may_be_base(first) and "VERB" in found and not nominal and first not in DETERMINERS
    if set(found) == {"VERB"} and not may_be_base(first) and not first.endswith("ing"):
        return phrase[0].tag_ in {"VBD", "VBN", "VBZ"} and alone[0].dep_ == "ROOT" and parts[1] not in PREPOSITIONS
    if not may_be_base(first) or "VERB" not in found or first in DETERMINERS or _is_noun_with_words(parts):
        return False
    if (
        first in verb_list("common")
        or not {"NOUN", "ADJ"} & set(found)
        or parts[1] in DETERMINERS - {"that", "which"} | _OBJECT_PRONOUNS
    ):
        return True
    return alone[0].tag_ in {"VB", "VBP"} and phrase[0].tag_ in {"VB", "VBP"}


def _is_command(alone: Doc) -> bool:
    """An answer written as a sentence that begins with a verb and its object: "Release sterile moths."."""
    first = alone[0]
    return first.tag_ == "VB" and first.dep_ == "ROOT" and any(child.dep_ == "dobj" for child in first.rights)


def _is_noun_with_words(parts: list[str]) -> bool:
    """A noun, though a verb is written alike: "increase in", "time to"."""
    noun = "NOUN" in parts_of_speech(parts[0]) and parts[0] not in _VERBS_ANYWAY
    return (noun and parts[1] in _NOUN_PREPOSITIONS) or (parts[1] == "to" and parts[0] in _NOUNS_BEFORE_TO)
