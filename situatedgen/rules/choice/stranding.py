"""Prepositions whose object has left them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from situatedgen.rules.choice.chains import next_word
from situatedgen.rules.choice.lexicon import verb_lemma
from situatedgen.rules.clauses.lexicon import words

if TYPE_CHECKING:
    from spacy.tokens import Token

_PARTICLES = words("out off up down away along such instead because due according together other")
_PLAIN = words("in on at to from for with of")
_PARTICLE_VERBS = words("give pick get set take")
_AFTER_GAP = frozenset({"IN", "WRB", "TO", ",", "RB", "RBS", "RBR", "JJS"})


def stranded(token: Token) -> bool:
    """A preposition that nothing follows which could be its object."""
    following = next_word(token)
    if following is not None and token.lower_ in _PLAIN and following.lower_ in {"if", "when", "because", "while"}:
        return not any(child.dep_ in {"pobj", "pcomp"} for child in token.rights)
    if token.tag_ not in {"IN", "TO", "RP"} or (following is not None and _is_bound(token)):
        return False
    if any(child.dep_ in {"pobj", "pcomp"} and not _is_ago(token, child) for child in token.rights):
        return False
    if token.dep_ == "prt" and verb_lemma(token.head.text) in _PARTICLE_VERBS:
        return False
    if following is None or any(_is_ago(token, child) for child in token.rights):
        return True
    return following.tag_ in _AFTER_GAP and token.dep_ in {"prep", "agent", "dative"}


def _is_bound(token: Token) -> bool:
    """A particle or a conjunction, which takes no object."""
    return token.lower_ in _PARTICLES or token.dep_ in {"mark", "prt", "neg"}


def _is_ago(preposition: Token, child: Token) -> bool:
    """A time like "twenty years ago" or "every morning", which is no object of the preposition before it."""
    if preposition.lower_ == "to" and child.left_edge.lower_ in {"every", "each"}:
        return True
    last = child.doc[child.right_edge.i]
    following = last.nbor().lower_ if last.i + 1 < len(last.doc) else ""
    return preposition.lower_ != "of" and "ago" in {last.lower_, following}
