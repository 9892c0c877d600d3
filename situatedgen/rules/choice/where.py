"""Questions about a place: "Where would you find many canals?"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from situatedgen.rules.choice.adverbials import ends_stranded, names_time, splice_adverbial
from situatedgen.rules.choice.chains import last_verb, last_word
from situatedgen.rules.choice.drafts import Draft, splice
from situatedgen.rules.choice.forms import Form
from situatedgen.rules.choice.gaps import GapKind, find_gap, is_in_relative
from situatedgen.rules.choice.lexicon import PREPOSITIONS, noun_list, verb_lemma, verb_list
from situatedgen.rules.choice.places import place_phrase
from situatedgen.rules.clauses.lexicon import words

if TYPE_CHECKING:
    from spacy.tokens import Token

    from situatedgen.rules.choice.answers import Answer
    from situatedgen.rules.clauses.inversion import ScoredDeclarative


_BESIDE_WHERE = words("else exactly south north east west")
_BESIDES = re.compile(r"\b(?:other than|besides|except|instead of)\b")
_PLAIN = words("to from in at on for")


def state_where(found: ScoredDeclarative, answer: Answer, within: str) -> Draft:
    """The answer as the place of a declarative; `within` is a phrase that stood beside "where".

    Example:
        "You would find many canals", "Venice", "in Southern Europe" gives "You would find many canals in Venice,
        in Southern Europe".
    """
    gap = find_gap(found)
    inner = gap.kind is GapKind.PREPOSITION and gap.start < len(found.text) and gap.governor in _PLAIN
    if inner and not within:
        return Draft(splice(found.text, gap.start, gap.end, answer.place), "where_stranded")
    verb = _place_verb(last_verb(found.doc, found.declarative.verb.start))
    phrase = answer.place if ends_stranded(found.text) else place_phrase(answer, verb)
    if within and within.lower() not in {"else", "exactly"}:
        phrase = f"{phrase}, {within.removeprefix('else ')},"
    shape = "where" if answer.form in {Form.NOUN, Form.ADVERBIAL} else "where_odd"
    strange = within and within.split(" ", 1)[0].lower() not in PREPOSITIONS | _BESIDE_WHERE
    stranded = ends_stranded(found.text) and is_in_relative(last_word(found.doc))
    draft = Draft(splice_adverbial(found, phrase, close=True, early=True), shape)
    return draft.doubted(0.5) if strange or stranded or _BESIDES.search(found.text) else draft


def _is_place(child: Token) -> bool:
    """A phrase that says where already, so that the answer is no goal."""
    phrase = child.doc[child.left_edge.i : child.right_edge.i + 1].text
    return child.dep_ == "prep" and child.lower_ in {"on", "in", "at", "through", "along"} and not names_time(phrase)


def _place_verb(verb: Token | None) -> str:
    """The verb that chooses the preposition; "" where an object or the passive leaves the place a plain one."""
    if verb is None:
        return ""
    lemma = verb_lemma(verb.text)
    objects = [child.lower_ for child in verb.rights if child.dep_ == "dobj"]
    reached = lemma in verb_list("place_objects") and (verb.tag_ == "VBN" or objects)
    described = any(child.dep_ == "acomp" for child in verb.rights)
    if lemma in verb_list("motion") - {"take", "bring", "send"} and any(map(_is_place, verb.rights)):
        return ""
    if lemma in {"bring", "send"} and any(child.dep_ == "dative" for child in verb.rights):
        return ""
    if lemma == "take" and any(word in noun_list("taken") for word in objects):
        return ""
    if any(child.tag_ == "IN" and child.lower_ == "to" and child.n_rights for child in verb.rights):
        return ""
    if lemma == "get" and any(child.dep_ in {"prep", "prt"} for child in verb.rights):
        return ""
    plain = objects == ["place"] or (lemma == "get" and (objects or described)) or reached
    return "" if plain else lemma
