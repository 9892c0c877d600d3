"""What the word before a question word asks of the answer: no article, or a verb in some form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from situatedgen.rules.choice.lexicon import DETERMINERS, SUBJECT_PRONOUNS, parts_of_speech, verb_lemma
from situatedgen.rules.clauses.auxiliaries import Kind, auxiliary
from situatedgen.rules.clauses.lexicon import words

if TYPE_CHECKING:
    from spacy.tokens import Token

_DEGREES = words("very so more too quite most less little")
_OWNERS = frozenset({"PRP$", "POS"})


def is_determined(before: Token) -> bool:
    """The word, or one before it and its adjectives, makes an article superfluous: "the big", "a very", "his"."""
    if before.lower_ in DETERMINERS | {"'s", "’s"} or before.tag_ in _OWNERS:
        return True
    return before.tag_ in {"JJ", "JJR"} or before.lower_ in _DEGREES or opens_determined(before) or _describes(before)


def _describes(before: Token) -> bool:
    """An adjective or a participle, whatever the parse says of it, right after a determiner: "a dwindling"."""
    place = before.i - 1
    while place > max(before.i - 3, 0) and before.doc[place].pos_ in {"ADJ", "ADV", "PROPN"}:
        place -= 1
    if place < 0 or before.pos_ in {"ADP", "AUX"}:
        return False
    if not (before.doc[place].lower_ in {"a", "an", "the"} or before.doc[place].tag_ in _OWNERS):
        return False
    return before.tag_ in {"VBG", "VBN", "VBD"} or "ADJ" in parts_of_speech(before.lower_)


def takes_verb(before: Token) -> bool:
    """A verb may follow: after "to", a modal, a subject, or a conjunction."""
    if before.lower_ in SUBJECT_PRONOUNS | {"to"} or before.tag_ in {"MD", "RB"}:
        return True
    moved = auxiliary(before.text)
    return before.pos_ in {"NOUN", "PROPN", "CCONJ"} or (moved is not None and moved.kind in {Kind.DO, Kind.MODAL})


def verb_tag(before: Token) -> str:
    """The form of a verb after a word: the base after "to" or a modal, else as the sentence's other verbs."""
    near = before.doc[max(before.i - 2, 0) : before.i + 1]
    if before.lower_ == "to":
        return "VB"
    if any(verb_lemma(word.text) == "be" for word in near) or _continues_gerund(before):
        return "VBG"
    if before.lower_ in {"and", "or", "just", "only"} or any(map(_asks_base, near)):
        return "VB"
    if any(token.tag_ == "VBD" for token in before.doc):
        return "VBD"
    return "VBZ" if before.lower_ in {"he", "she", "it"} or before.tag_ in {"NN", "NNP"} else "VB"


def _asks_base(word: Token) -> bool:
    return bool(word.tag_ == "MD" or word.lower_ in {"to", "n't", "not"})


def _continues_gerund(before: Token) -> bool:
    """A conjunction after a gerund and its words: "having fun and"."""
    gerunds = any(word.tag_ == "VBG" for word in before.doc[max(before.i - 4, 0) : before.i])
    return before.lower_ in {"and", "or"} and gerunds


def _takes_noun(opening: Token) -> bool:
    return bool(opening.tag_ == "PRP$" or opening.lower_ in {"a", "an"})


def opens_determined(before: Token) -> bool:
    """An adjective or adverb after a determiner, or a noun after a possessive: "a very", "her dream"."""
    place = before.i
    while place and before.doc[place].pos_ in {"ADJ", "ADV", "PUNCT", "NOUN", "PROPN"} and place > before.i - 4:
        place -= 1
    opening = before.doc[place]
    determined = opening.lower_ in DETERMINERS or opening.tag_ in _OWNERS
    fitting = before.pos_ in {"ADJ", "ADV", "PROPN"} or (before.pos_ == "NOUN" and _takes_noun(opening))
    return place < before.i and determined and fitting
