"""Where a sentence asks: its question word, and whether that stands in front, late, or in the answer's place."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from situatedgen.rules.choice.extents import phrase_reaches_end
from situatedgen.rules.choice.lexicon import PREPOSITIONS, QUESTION_WORDS
from situatedgen.rules.choice.modes import is_auxiliary
from situatedgen.rules.clauses.lexicon import words

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_NOMINAL = words("what which who whom whose whats whos")
_OPENS_LEAD = words("if when while after before once in during at")
_PERSONAL = words("who whom whose")
_DEGREES = words("long many much far often old")
_BEFORE_FRONT = words("about approximately around and so but then roughly almost exactly if")
_OPENS_TAIL = words("while after before when if every each during can could will would might may")
_ASKS_INSIDE_AFTER = words("a an the some any its his her their my your no each every more very such")


class Place(StrEnum):
    """Where a question word stands."""

    FRONT = "front"
    LATE = "late"
    INSIDE = "inside"


@dataclass(frozen=True, slots=True)
class Asked:
    """The question word of a sentence: its token, where its phrase begins, and its place."""

    word: int
    start: int
    place: Place


def find_asked(doc: Doc) -> Asked | None:
    """The word with which a sentence asks, or None when it asks with none."""
    found = [(_weight(token), -token.i) for token in doc if token.lower_ in QUESTION_WORDS]
    best = max(found, default=(0, 0))
    if best[0] <= 0:
        return None
    return _placed(doc[-best[1]])


def _weight(token: Token) -> int:
    """How surely a question word is the one that asks, and not a relative or a conjunction."""
    if _is_last(token):
        return 9
    if token.nbor().lower_ == "to":
        return 1 if token.lower_ in {"what", "which"} or (_asks_place(token) and not is_front(token)) else 0
    if token.i and token.nbor(-1).lower_ in _ASKS_INSIDE_AFTER:
        return 8
    if is_front(token):
        return _front_weight(token)
    return _nominal_weight(token) if token.lower_ in _NOMINAL - _PERSONAL else _adverb_weight(token)


def _adverb_weight(token: Token) -> int:
    """The weight of where, when, why, how and who inside a sentence."""
    before = token.nbor(-1)
    if token.lower_ == "how" and _asks_amount_last(token):
        return 7
    if token.lower_ in _PERSONAL and before.pos_ in {"NOUN", "PRON", "PROPN"}:
        return 0
    if is_inverted(token):
        return 6
    return 1 if token.lower_ == "where" and (before.pos_ in {"VERB", "ADP", "AUX"} or _asks_place(token)) else 0


def _asks_place(token: Token) -> bool:
    """A "where" that no clause follows, only a purpose, a time or a verb: "people gather where to watch a race"."""
    if token.lower_ != "where":
        return False
    following, before = token.nbor(), token.nbor(-1) if token.i else token
    if following.lower_ == "to":
        return bool(before.pos_ in {"VERB", "NOUN", "ADV"})
    if any(is_auxiliary(word) for word in token.doc[token.i + 2 : token.i + 6]):
        return False
    return following.lower_ in _OPENS_TAIL or (following.pos_ == "ADP" and following.tag_ != "RP")


def _asks_amount_last(token: Token) -> bool:
    """An amount is asked for at the end: "has taken how long?"."""
    rest = [word.lower_ for word in token.doc[token.i + 1 :] if not word.is_punct]
    return 0 < len(rest) <= 2 and rest[0] in _DEGREES


def _front_weight(token: Token) -> int:
    if token.lower_ in {"when", "where", "why"} and not is_inverted(token):
        return 3 if token.lower_ != "when" else 0
    return 7


def _nominal_weight(token: Token) -> int:
    before = token.nbor(-1)
    if phrase_reaches_end(token):
        return 7
    if token.lower_ == "which" and before.pos_ in {"NOUN", "PROPN", "PRON"} and token.nbor().pos_ in {"AUX", "VERB"}:
        return 1
    if before.lower_ == "," and token.lower_ == "which" and not is_inverted(token):
        return 2
    if before.pos_ == "ADP" and token.lower_ == "which" and not _has_noun(token):
        return 1
    return 6 if is_inverted(token) else 5 if token.lower_ == "what" else 4


def _placed(token: Token) -> Asked:
    if is_front(token):
        return Asked(token.i, 0, Place.FRONT)
    if _is_last(token) or phrase_reaches_end(token):
        return Asked(token.i, token.i, Place.INSIDE)
    start = _fronted_start(token)
    if start is not None and (is_inverted(token) or _opens_after_lead(token) or _after_break(token.doc, start)):
        return Asked(token.i, start, Place.LATE)
    return Asked(token.i, token.i, Place.INSIDE)


def _opens_after_lead(token: Token) -> bool:
    """A subject question after a subordinate clause without a comma: "After the sun has risen what happens"."""
    finite = token.i + 1 < len(token.doc) and token.nbor().tag_ in {"VBZ", "VBD"}
    return token.lower_ == "what" and finite and token.doc[0].lower_ in _OPENS_LEAD


def _after_break(doc: Doc, start: int) -> bool:
    """A comma or a conjunction after one stands before a token."""
    before = doc[start - 1]
    return before.lower_ in {",", ";", ":", "-"} or (before.lower_ in {"so", "but", "and", "then"} and start > 1)


def _fronted_start(token: Token) -> int | None:
    """Where a fronted phrase with this question word begins, None when the word is in the answer's place."""
    before = token.nbor(-1)
    if before.lower_ in {"how", "that", "whether"} or (before.i == 0 and before.tag_ == "VBG"):
        return None
    if before.lower_ in PREPOSITIONS or before.lower_ in {"about", "approximately"}:
        if before.i and _after_break(token.doc, before.i):
            return int(before.i)
        return None if token.lower_ in _NOMINAL or (before.dep_ != "prt" and not is_inverted(token)) else token.i
    if before.pos_ == "CCONJ" and not _after_break(token.doc, before.i) and before.lower_ == "or":
        return None
    if before.lower_ in _ASKS_INSIDE_AFTER or (before.pos_ == "ADJ" and before.i and _is_determiner(before.nbor(-1))):
        return None
    asks = is_inverted(token) and token.doc[0].lower_ in {"if", "when", "while", "after", "before", "because", "since"}
    if before.pos_ in {"VERB", "AUX"} and token.lower_ in _NOMINAL and not asks and not _may_end_lead(before):
        return None
    return token.i


def _is_determiner(token: Token) -> bool:
    return token.lower_ in _ASKS_INSIDE_AFTER or token.tag_ in {"DT", "PRP$", "POS"}


def _may_end_lead(before: Token) -> bool:
    """A verb form that may end a lead-in ("While driving what should you do")."""
    return before.tag_ in {"VBG", "VBN"} or before.dep_ in {"advcl", "relcl"}


def is_front(token: Token) -> bool:
    """The word opens the sentence, but for a preposition or a word like "about"."""
    if token.i == 0:
        return True
    opening = token.doc[: token.i]
    if token.i > 3:
        return False
    return all(word.lower_ in PREPOSITIONS | _BEFORE_FRONT or word.is_punct for word in opening)


def is_inverted(token: Token) -> bool:
    """An auxiliary follows the question word or its phrase."""
    place = token.i + 1
    doc = token.doc
    wide = token.lower_ in _NOMINAL | {"how"} or (place < len(doc) and doc[place].pos_ == "ADP")
    limit = min(len(doc), place + (8 if wide else 1))
    for word in doc[place:limit]:
        if is_auxiliary(word):
            return True
        if token.lower_ == "what" and word.pos_ in {"VERB", "PRON"}:
            return False
        if word.is_punct or word.pos_ in {"PRON", "SCONJ", "CCONJ", "VERB"}:
            return False
    return False


def _is_last(token: Token) -> bool:
    return all(word.is_punct or word.is_space for word in token.doc[token.i + 1 :])


def _has_noun(token: Token) -> bool:
    return token.i + 1 < len(token.doc) and token.nbor().pos_ in {"NOUN", "ADJ", "PROPN", "NUM"}
