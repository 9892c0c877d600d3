"""What kind of thing a statement is about."""

import re

from situatedgen.screening.clauses import PROPER, Clause
from situatedgen.screening.reading import Named, Reading
from situatedgen.screening.regions import is_country
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
    ("way", "road"),
    ("mercantile_establishment", "shop"),
    ("restaurant", "shop"),
    ("structure", "building"),
    ("facility", "building"),
    ("tract", "site"),
    ("scene", "site"),
    ("location", "place"),
    ("district", "place"),
    ("creation", "work"),
    ("show", "work"),
    ("music", "work"),
    ("publication", "work"),
    ("writing", "work"),
    ("artifact", "artifact"),
    ("ethnic_group", "people"),
    ("people", "people"),
    ("educational_institution", "school"),
    ("college", "school"),
    ("university", "school"),
    ("team", "team"),
    ("administrative_unit", "office"),
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


WORDS = {
    **dict.fromkeys(("headquarters", "headquarter"), "seat"),
    **dict.fromkeys(("airline", "bank", "exchange", "brand"), "organisation"),
    **dict.fromkeys(("location", "center", "centre", "branch"), "site"),
    **dict.fromkeys(("club", "league"), "team"),
    **dict.fromkeys(("country", "nation", "continent", "kingdom", "empire"), "country"),
}
"""Words of which WordNet's first sense is not what is meant where something lies or is founded."""
TELLING = frozenset({"school", "team", "office", "road", "shop", "building", "site", "seat"})
"""Kinds that the last word of a name tells: "Worcester College", "the Javits Center"."""
VAGUE = frozenset({"organisation", "building"})
"""Kinds that a label tells, and the last word of a name tells better."""
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
    told = _told(clause, number)
    if named is None or named.label not in LABELS or told == "seat":
        return told
    kind = LABELS[named.label]
    if (told in TELLING and kind in VAGUE) or (told == "nature" and kind == "place"):
        return told
    if kind == "place":
        return "country" if told == "country" or _is_country(clause.reading, named) else kind
    return _organisation(clause.reading.written(named)) if kind == "organisation" else kind


def _is_country(reading: Reading, named: Named) -> bool:
    """Whether a country is named, and not a town in it: "Bucharest, Romania"."""
    before = (each for each in reading.keywords if each.is_place and each.end < named.start)
    is_town = any(reading.text[each.end : named.start].strip() in ("", ",") for each in before)
    return not is_town and is_country(reading.written(named))


def _told(clause: Clause, number: int) -> str:
    """The kind that a word tells by itself."""
    word = clause.words[number]
    kind = WORDS.get(word.lemma.lower()) or _class(word.kind)
    near = list(clause.under(number, "compound"))
    before = [*near, *(each for head in near for each in clause.under(head, "compound"))]
    is_storm = kind == "event" and any(_class(clause.words[each].kind) == "weather" for each in before)
    return "weather" if is_storm else kind


def _class(path: str) -> str:
    """The kind of what lies on a path of WordNet."""
    classes = set(path.split("/"))
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
    frozenset({"place", "nature", "building", "country"}),
    frozenset({"building", "site"}),
    frozenset({"building", "school", "church", "artifact"}),
    frozenset({"building", "road", "shop"}),
    frozenset({"organisation", "seat"}),
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
