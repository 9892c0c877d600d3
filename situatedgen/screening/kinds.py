"""What kind of thing a statement is about."""

import re

from situatedgen.screening.clauses import PROPER, Clause
from situatedgen.vocabulary import Label

# A class of WordNet, and the kind that everything below it is; the first that holds.
CLASSES = (
    ("person", "person"),
    ("animal", "animal"),
    ("food", "food"),
    ("foodstuff", "food"),
    ("beverage", "food"),
    ("plant", "plant"),
    ("body_of_water", "nature"),
    ("geological_formation", "nature"),
    ("land", "nature"),
    ("holiday", "occasion"),
    ("festival", "occasion"),
    ("time_period", "time"),
    ("time_unit", "time"),
    ("structure", "building"),
    ("facility", "building"),
    ("location", "place"),
    ("district", "place"),
    ("way", "building"),
    ("creation", "work"),
    ("show", "work"),
    ("music", "work"),
    ("publication", "work"),
    ("writing", "work"),
    ("artifact", "artifact"),
    ("ethnic_group", "people"),
    ("people", "people"),
    ("organization", "organisation"),
    ("social_group", "organisation"),
    ("military_action", "event"),
    ("contest", "event"),
    ("weather", "weather"),
    ("atmospheric_phenomenon", "weather"),
    ("language", "language"),
    ("event", "event"),
    ("medium_of_exchange", "money"),
    ("physical_entity", "thing"),
    ("abstraction", "idea"),
)
LABELS = {
    Label.PERSON: "person",
    Label.ORG: "organisation",
    Label.GPE: "place",
    Label.LOC: "place",
    Label.FAC: "building",
    Label.EVENT: "event",
    Label.WORK_OF_ART: "work",
    Label.PRODUCT: "artifact",
    Label.NORP: "people",
    Label.LANGUAGE: "language",
    Label.DATE: "time",
    Label.TIME: "time",
}


SEATS = frozenset({"headquarters", "headquarter"})
"""Of these it is their organisation that is spoken of."""
ORGANISATIONS = tuple(
    (kind, re.compile(rf"\b(?:{words})\b", re.IGNORECASE))
    for kind, words in (
        ("school", "university|college|school|institute|academy"),
        ("party", "party|democrats|republicans"),
        (
            "office",
            "court|agency|parliament|ministry|department|congress|senate|force|army|navy|guard|government|council",
        ),
        ("church", "church|cathedral|temple"),
    )
)


def kind_at(clause: Clause, number: int) -> str:
    """The kind of what a word names; empty where it is not known."""
    named = clause.named_at(number)
    if named is not None and named.label in LABELS:
        kind = LABELS[named.label]
        return _organisation(clause.reading.written(named)) if kind == "organisation" else kind
    if clause.words[number].lemma in SEATS:
        return "organisation"
    classes = set(clause.words[number].kind.split("/"))
    return next((kind for above, kind in CLASSES if above in classes), "")


def _organisation(name: str) -> str:
    """What kind of organisation a name tells: a school, a party, an office of state, a church, or any other."""
    return next((kind for kind, pattern in ORGANISATIONS if pattern.search(name)), "organisation")


def is_named(clause: Clause, number: int) -> bool:
    """Whether a word, or what stands around it, is a name: "Lima", "the city of Lima", "the Hopi tribe"."""
    if clause.is_name(number):
        return True
    around = list(clause.under(number, "compound", "nmod", "poss", "amod", "appos"))
    behind = [each for each in clause.under(number, "prep") if clause.words[each].lemma == "of"]
    around += [each for preposition in behind for each in clause.under(preposition, "pobj")]
    return any(clause.words[each].tag in PROPER for each in around)


NEAR = (
    frozenset({"place", "nature", "building"}),
    frozenset({"building", "school", "church", "artifact"}),
    frozenset({"artifact", "thing", "money", "food"}),
    frozenset({"event", "occasion", "time"}),
    frozenset({"work", "artifact", "organisation"}),
    frozenset({"idea", "artifact"}),
    frozenset({"office", "party", "people"}),
    frozenset({"plant", "food"}),
    frozenset({"weather", "event"}),
)
"""Kinds of which one may be set against the other, if need be."""
SAME, CLOSE, FAR = 0, 1, 2


def distance(left: str, right: str) -> int:
    """How unlike two kinds are: the same, close, or far; what is not known is close to everything."""
    if left == right:
        return SAME if left else CLOSE
    if not left or not right or any({left, right} <= near for near in NEAR):
        return CLOSE
    return FAR
