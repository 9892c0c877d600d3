"""Whether a sentence makes sense without the sentences that stood before it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from situatedgen.rules.casing import true_case
from situatedgen.rules.choice.lexicon import parts_of_speech

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_POINTING = frozenset("this these those such".split())
_PRONOUNS = frozenset("he she it they him her them his hers its their theirs we our us i my me".split())
_STAGE = frozenset(
    "student students experiment investigation class group data result results graph table diagram picture chart figure"
    " teacher scientist scientists researcher researchers model activity trial test question information passage sample samples"
    " change changes process situation object objects statement observation hypothesis procedure project conclusion reaction claim"
    " substance solution organism population material mixture device".split()
)
_WORD = re.compile(r"[a-z]+")


def needs_context(sentence: Doc, context: Sequence[str]) -> bool:
    """A word of the sentence points to an earlier sentence: a pronoun, "this", a definite noun, a person's name."""
    if not context:
        return False
    earlier = {lemma for text in context for word in _WORD.findall(text.lower()) for lemma in _lemmas(word)}
    names = _names(context)
    return any(_points_back(token, earlier, names) for token in sentence)


def _points_back(token: Token, earlier: set[str], names: set[str]) -> bool:
    if token.lower_ in _PRONOUNS:
        return not _has_antecedent(token)
    if token.lower_ in _POINTING:
        return token.nbor().lower_ not in {"days", "following"} if token.i + 1 < len(token.doc) else True
    if token.lower_ == "that" and token.dep_ in {"det", "nsubj", "dobj", "pobj"} and token.tag_ == "DT":
        return True
    if token.text in names and token.pos_ == "PROPN":
        return True
    if token.lower_ in {"another", "other", "also", "instead", "else", "same", "next", "then"}:
        return True
    return _is_definite(token) and (bool(_lemmas(token.lower_) & earlier) or token.lower_ in _STAGE)


def _is_definite(token: Token) -> bool:
    """A common noun with "the" and nothing after it that says which."""
    if token.pos_ != "NOUN" or not any(child.lower_ in {"the", "both"} for child in token.lefts):
        return False
    described = any(child.dep_ in {"prep", "relcl", "acl"} for child in token.rights)
    return not described


def _has_antecedent(token: Token) -> bool:
    """A noun stands before a pronoun in its own sentence; "it" may also point ahead ("it takes … to")."""
    if token.lower_ == "it" and (token.dep_ == "expl" or token.head.lemma_ in {"take", "rain", "snow"}):
        return True
    if token.lower_ in {"he", "she", "him", "his", "i", "my", "me", "we", "our", "us", "her"}:
        return False
    return any(word.pos_ in {"NOUN", "PROPN"} and word.i < token.i for word in token.doc)


def _names(context: Sequence[str]) -> set[str]:
    """The names of people in earlier sentences, as far as their letters tell: capitals that open no sentence twice."""
    found: set[str] = set()
    for text in context:
        for word in re.findall(r"\b[A-Z][a-z]+\b", text):
            if not parts_of_speech(word.lower()) and true_case(word.lower()) == word.lower():
                found.add(word)
    return found


def _lemmas(word: str) -> frozenset[str]:
    return frozenset({word, *parts_of_speech(word).get("NOUN", ())})
