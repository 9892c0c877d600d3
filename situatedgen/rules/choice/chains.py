"""The verbs of a declarative: which one its auxiliary helps, which ones it leads to, and what they lack."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from situatedgen.rules.choice.lexicon import verb_lemma, verb_list
from situatedgen.rules.clauses.lexicon import words
from situatedgen.rules.clauses.scoring import token_at

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_OBJECTS = frozenset({"dobj", "attr", "acomp", "ccomp", "xcomp", "oprd", "dative"})
_CONDITIONS = words("if when because while after")


def main_verb(doc: Doc, offset: int) -> Token | None:
    """The verb at an offset, or the one that it helps."""
    verb = token_at(doc, offset)
    while verb is not None and _helps(verb):
        verb = verb.head
    return verb


def last_verb(doc: Doc, offset: int) -> Token | None:
    """The last verb of the chain that begins at an offset."""
    verb = main_verb(doc, offset)
    return None if verb is None else list(chain(verb))[-1]


def chain(verb: Token) -> Iterator[Token]:
    """The verb and the verbs that it, its adjective or its infinitive leads to."""
    yield verb
    for child in verb.rights:
        if child.dep_ in {"xcomp", "ccomp"} and child.pos_ in {"VERB", "AUX"}:
            yield from chain(child)
        elif child.dep_ in {"acomp", "attr", "xcomp"}:
            for deeper in child.rights:
                if deeper.dep_ == "xcomp":
                    yield from chain(deeper)


def has_object(token: Token) -> bool:
    """An object or complement follows the verb."""
    return any(child.dep_ in _OBJECTS and not _is_condition(child) for child in token.rights)


def lacks_object(token: Token) -> bool:
    """A verb that takes an object and has none; an infinitive after it may say what for."""
    lemma = verb_lemma(token.text)
    passive = token.tag_ == "VBN" and not any(verb_lemma(child.text) == "have" for child in token.lefts)
    if token.pos_ == "AUX" or passive or lemma in verb_list("intransitive"):
        return False
    held = [child for child in token.rights if child.dep_ in _OBJECTS and not _is_condition(child)]
    if lemma in verb_list("using"):
        return all(child.dep_ == "xcomp" and child.tag_ == "VB" for child in held)
    return not held


def next_word(token: Token) -> Token | None:
    """The token after one, None at the end of the sentence."""
    if token.i + 1 >= len(token.doc):
        return None
    following = token.nbor()
    return None if following.is_punct and following.i == len(token.doc) - 1 else following


def last_word(doc: Doc) -> Token:
    """The last token of a parse that is no mark."""
    return next(token for token in reversed(doc) if not token.is_punct)


def _helps(verb: Token) -> bool:
    return bool(verb.dep_ in {"aux", "auxpass"} and verb.head.i > verb.i and verb_lemma(verb.text) != "do")


def _is_condition(child: Token) -> bool:
    """A clause with "if" or "when", which the parser takes for an object where the object is missing."""
    return child.dep_ in {"ccomp", "advcl"} and child.left_edge.lower_ in _CONDITIONS
