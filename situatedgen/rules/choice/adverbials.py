"""The place of an adverbial in a declarative: after the verb's own words, before clauses and times."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from situatedgen.rules.choice.chains import last_verb
from situatedgen.rules.choice.drafts import splice
from situatedgen.rules.choice.lexicon import PREPOSITIONS, verb_lemma, verb_list
from situatedgen.rules.clauses.lexicon import words

if TYPE_CHECKING:
    from spacy.tokens import Token

    from situatedgen.rules.clauses.inversion import ScoredDeclarative

_TIMES = re.compile(
    r"\b(?:sunday|monday|tuesday|wednesday|thursday|friday|saturday|morning|afternoon|evening|night|noon|midnight|day"
    r"|week|month|year|hour|minute|summer|winter|spring|fall|autumn|christmas|time|now|today|tomorrow|soon|later"
    r"|weekend|annually)s?\b",
    re.I,
)
_OWN_WORDS = frozenset({"dobj", "attr", "acomp", "prt", "oprd", "nsubj", "dative"})
_RESTING = words("be live sit sleep")
_NEAR = words("in on around away out up")
_PARTICLES = words("down up off out over around about inside outside by along across past")


def splice_adverbial(found: ScoredDeclarative, phrase: str, *, close: bool = False, early: bool = False) -> str:
    """The declarative with an adverbial in its place: `early` before times, `close` after verbs of motion at once.

    Example:
        "A human can go on Sunday" + "to church" gives "A human can go to church on Sunday".
    """
    place = _place(found, close=close, early=early)
    return splice(found.text, place, place, phrase)


def ends_stranded(text: str) -> bool:
    """The text ends in a preposition that waits for its object."""
    return text.rsplit(" ", 1)[-1].lower() in PREPOSITIONS - _PARTICLES and not text.endswith("to choose from")


def names_time(text: str) -> bool:
    """The text speaks of a day, a season, an hour or the like."""
    return bool(_TIMES.search(text))


def _place(found: ScoredDeclarative, *, close: bool, early: bool) -> int:
    verb = last_verb(found.doc, found.declarative.verb.start)
    if verb is None:
        return len(found.text)
    if close and _stands_alone(verb):
        return int(verb.idx + len(verb.text))
    for token in found.doc[verb.i + 1 :]:
        if _opens_tail(token, verb, times=early):
            # A time is told by its noun, and begins with the words before it: "last a long time".
            previous = found.doc[max(token.left_edge.i, verb.i + 1)].nbor(-1)
            return int(previous.idx + len(previous.text))
    return len(found.text)


def _stands_alone(verb: Token) -> bool:
    """A verb of motion or rest without words of its own, so that its place follows it at once."""
    lemma = verb_lemma(verb.text)
    if lemma in verb_list("place_objects") and not any(child.dep_ in _OWN_WORDS for child in verb.rights):
        return True
    if lemma not in verb_list("motion") | _RESTING or any(child.dep_ in _OWN_WORDS for child in verb.rights):
        return False
    bare = any(child.dep_ in {"prep", "prt"} and (child.n_rights == 0 or _is_goal(child)) for child in verb.rights)
    return not bare and not (verb.i + 1 < len(verb.doc) and verb.nbor().lower_ in _NEAR)


def _head_words(token: Token) -> str:
    """A noun, or a preposition with its noun, without the phrases after it: "in days" of "in days of old"."""
    noun = next((child for child in token.rights if child.dep_ == "pobj"), token)
    return str(token.doc[token.left_edge.i : noun.i + 1].text)


def _is_goal(child: Token) -> bool:
    """The goal of "go" or "get", which has its place already: "go to the bathroom"."""
    return child.lower_ == "to" and child.tag_ == "IN" and verb_lemma(child.head.text) in {"go", "get"}


def _opens_tail(token: Token, verb: Token, *, times: bool) -> bool:
    """A clause, a comma or a time that belongs to the verb begins here."""
    heads = {verb.i, verb.head.i, verb.head.head.i}
    if token.lower_ in {",", ";"} and token.i < len(token.doc) - 1:
        return token.head.i in heads
    if token.head.i in heads and token.dep_ in {"prep", "npadvmod"}:
        return times and names_time(_head_words(token))
    begins = (one for one in [token, *token.ancestors] if one.left_edge.i == token.i and one.dep_ == "advcl")
    clause = next(begins, None)
    return clause is not None and clause.head.i in heads
