"""Whether a noun with "the" means one that earlier sentences brought up, or a kind or a thing that there is one of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from situatedgen.rules.choice.lexicon import DETERMINERS, PREPOSITIONS, noun_list, parts_of_speech
from situatedgen.rules.clauses.lexicon import words

if TYPE_CHECKING:
    from spacy.tokens import Token

_ONE_OF_SEVERAL = words(
    "a an one two three four five his her its their my our some this that these those another each several first second"
)
_FARTHEST = 3
_TELLING = re.compile(
    r"\b(?:he|she|his|her|him|I|my|was|were|had|did|went|got|said|took|wanted|needed|decided|saw|found|made|left|came"
    r"|put|gave|placed|observed|noticed|recorded|measured)\b",
    re.I,
)
_SAYS_WHICH = words("of in on at from that which who with for under near")
_KINDS = words("process population material organism animal plant substance")
_WORD = re.compile(r"[A-Za-z][A-Za-z'’-]*")


def noun_lemmas(word: str) -> frozenset[str]:
    """The word in small letters and the nouns it may be a form of."""
    return frozenset({word, *parts_of_speech(word).get("NOUN", ())})


def is_one_of_its_kind(noun: Token) -> bool:
    """A noun that there is one of, wherever it is named: "the sky", "the solar system"."""
    pair = f"{noun.nbor(-1).lower_}-{noun.lower_}" if noun.i else ""
    plain = noun.i > 0 and noun.nbor(-1).lower_ == "the"
    return pair in noun_list("definite") or (plain and noun.lower_ in noun_list("definite") - {"population", "surface"})


def is_generic(noun: Token, context: Sequence[str]) -> bool:
    """A noun that stands for its kind: neither the sentence nor those before it tell of one of several.

    Example:
        "the fox" after "The fur of the arctic fox is white." is generic, after "A fox ran away." it is not.
    """
    if any(token.tag_ == "VBD" for token in noun.doc) or any(map(_TELLING.search, context)):
        return False
    lemmas = noun_lemmas(noun.lower_)
    described = any(child.dep_ in {"amod", "compound"} for child in noun.lefts)
    if any(child.dep_ == "nummod" for child in noun.lefts) or any(_is_brought_up(lemmas, text) for text in context):
        return False
    return described or any(_is_known(lemmas, text) for text in context)


def is_named_kind(noun: Token) -> bool:
    """A kind that a word before it names: "the water treatment process"."""
    return noun.lower_ in _KINDS and any(child.dep_ == "compound" for child in noun.lefts)


def _is_brought_up(lemmas: frozenset[str], text: str) -> bool:
    """The text has the noun with "a", a number or an owner, or as part of a name."""
    found = _words(text)
    return any(found[place][0].isupper() or _is_counted(found, place) for place in _heads(found, lemmas) if place)


def _is_known(lemmas: frozenset[str], text: str) -> bool:
    """The text has the noun with "the" already, and says of no particular one which it is."""
    found = [*_words(text), ""]
    return any(
        "the" in _lowered(found, place) and found[place + 1].lower() not in _SAYS_WHICH
        for place in _heads(found[:-1], lemmas)
        if place
    )


def _words(text: str) -> list[str]:
    return [re.sub(r"['’]s?$", "", word) for word in _WORD.findall(text)]


def _heads(found: Sequence[str], lemmas: frozenset[str]) -> Iterator[int]:
    """The places where the noun stands and describes no other noun."""
    for place, word in enumerate(found):
        following = found[place + 1].lower() if place + 1 < len(found) else ""
        describes = set(parts_of_speech(following)) == {"NOUN"} and following not in DETERMINERS | PREPOSITIONS
        if noun_lemmas(word.lower()) & lemmas and not describes:
            yield place


def _is_counted(found: Sequence[str], place: int) -> bool:
    """The last determiner among the words before the noun is one that counts or owns."""
    before = [word for word in _lowered(found, place) if word == "the" or word in _ONE_OF_SEVERAL]
    return bool(before) and before[-1] != "the"


def _lowered(found: Sequence[str], place: int) -> list[str]:
    return [word.lower() for word in found[max(place - _FARTHEST, 0) : place]]
