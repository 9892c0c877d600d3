"""What a statement says of which kind of thing, and where its place or time stands in that."""

import tomllib
from dataclasses import dataclass
from functools import cache
from typing import Any

from situatedgen.resources import read_text
from situatedgen.screening.clauses import Clause, Slot
from situatedgen.screening.kinds import TELLING, is_named, kind_at
from situatedgen.screening.periods import kind_of_context
from situatedgen.screening.reading import Named, Reading
from situatedgen.screening.regions import kind_of_land
from situatedgen.vocabulary import Label

ANYONE = frozenset(
    {"you", "one", "person", "people", "we", "i", "someone", "traveler", "tourist", "anyone", "visitor", "they"}
)
"""Subjects that say nothing: "you can find X in Y" is about X."""
SEEING = frozenset({"find", "see", "visit", "spot"})
LYING = frozenset({"be", "lie", "sit", "locate", "situate", "stand"})
HAVING = frozenset({"have", "hold", "contain", "include", "possess"})
ORDER = ("adverbial", "subject", "object", "owner", "part")
"""Which place or time of several a statement hangs on."""
PREPOSITIONS = {
    **dict.fromkeys("in at on inside within across throughout during around along through over by".split(), "in"),
    **dict.fromkeys("near outside off beside".split(), "near"),
    "out of": "from",
    "of": "of",
    **dict.fromkeys("to into toward towards".split(), "to"),
}
ACTIVE = frozenset({"making"})
"""Relations of those who do something, not of what is done."""
PASSING = frozenset({"ruling"})
"""Relations that end some day: who is said to rule now may rule no more when it is read."""
LOCATED = frozenset({"located", "existing"})
CIVIC = frozenset(
    {"citizen", "resident", "native", "inhabitant", "member", "lady", "national", "subject", "child", "part"}
)
"""People who hold no office."""
ROLES = frozenset(
    "president minister parent king queen leader director governor emperor prince princess mayor chancellor father "
    "mother senator founder author actor actress citizen resident producer".split()
)
SAME_CALLING = {"ruler": "leader", "head": "leader"}
OFFICES = {
    **dict.fromkeys(("governor", "senator", "mayor", "congressman", "congresswoman"), "regional"),
    **dict.fromkeys(("prince", "princess", "duke", "duchess"), "princely"),
}
"""Offices below those who lead a country."""
SITES = frozenset(
    {"place", "country", "nature", "building", "organisation", "site", "road", "shop", "school", "team", "office"}
)
TOLD = frozenset({"place", "person"})
"""Kinds that a name tells better than a noun does: "Pamplona is a site in Spain"."""
ANY = "*"
UNKNOWN = 0.35
"""What is said in no class of relations is doubted by as much."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What is said, where its context stands, of which kind that is, and what it is said of."""

    relations: frozenset[str]
    where: str
    preposition: str
    context: str
    theme: str
    rest: str
    is_named: bool
    is_negated: bool
    is_hedged: bool
    is_specific: bool
    is_passing: bool


def frame_of(clause: Clause, *, place: bool) -> Frame | None:
    """The frame of a clause around its place or its time.

    Nothing where that is not bound to the predicate, or is all that is spoken of: "you can visit Lima".
    """
    fitting = [slot for slot in clause.slots if slot.where in ORDER and slot.named.is_place == place]
    if not fitting:
        return None
    slot = _turned(clause, min(fitting, key=lambda slot: (ORDER.index(slot.where), _is_often(clause, slot))))
    theme = _theme(clause, slot)
    if slot.where == "object" and theme == clause.complement and place:
        return None
    kind = _theme_kind(clause, theme)
    said = _relations(clause, slot, kind)
    if slot.where == "owner" and said & LOCATED:
        return None
    return Frame(
        relations=said,
        where=slot.where,
        preposition=PREPOSITIONS.get(slot.preposition, slot.preposition),
        context=_context(clause.reading, slot.named, said),
        theme=kind,
        rest=_calling(clause, _rest(clause)) if theme != clause.complement else "",
        is_named=theme is not None and is_named(clause, theme) and not _is_role(clause, theme),
        is_negated=clause.is_negated,
        is_hedged=clause.is_hedged,
        is_specific=theme is not None and _is_specific(clause, theme),
        is_passing=clause.is_present and bool(said & PASSING),
    )


def _is_often(clause: Clause, slot: Slot) -> bool:
    return kind_of_context(clause.reading, slot.named) == "often"


def _relations(clause: Clause, slot: Slot, kind: str) -> frozenset[str]:
    """What is said; what is made in the passive is a thing, even if it bears the name of a person."""
    predicate = _predicate(clause, slot)
    found = relations(predicate, kind)
    return relations(predicate, "") if clause.is_passive and found <= ACTIVE else found


def _context(reading: Reading, named: Named, said: frozenset[str]) -> str:
    """The kind of a place or time; of a place in which something lies, how large a thing it is."""
    if said & LOCATED and (named.is_place or named.label is Label.LOC):
        return kind_of_land(reading.written(named))
    return kind_of_context(reading, named)


def _turned(clause: Clause, slot: Slot) -> Slot:
    """The slot, turned where it is the place itself that is said to lie in a land: "Caracas is in Asia"."""
    seen = slot.where == "object" and clause.phrase in SEEING and _says_nothing(clause)
    lying = slot.where == "subject" and clause.phrase in LYING and clause.complement is None and clause.quality is None
    lands = [each for each in clause.reading.keywords if each.label is Label.LOC and each.start > slot.named.end]
    return Slot(lands[0], "adverbial", "in") if slot.named.is_place and lands and (seen or lying) else slot


def _says_nothing(clause: Clause) -> bool:
    return clause.subject is not None and clause.words[clause.subject].lemma in (*ANYONE, "there", "it")


def _theme(clause: Clause, slot: Slot) -> int | None:
    """What is spoken of: the subject, or the object where the subject is the context or says nothing."""
    if slot.where == "subject":
        return clause.complement
    return clause.complement if _says_nothing(clause) and clause.complement is not None else clause.subject


def _is_role(clause: Clause, theme: int) -> bool:
    """Whether somebody is meant by what they are: "the President of India", "the parents of Stephen King"."""
    named = clause.named_at(theme)
    return clause.words[theme].lemma.lower() in ROLES and (named is None or named.label is not Label.PERSON)


def _rest(clause: Clause) -> int | None:
    """What else is spoken of: the object, or what something serves as."""
    taken = (each for number in clause.arguments("prep") for each in clause.under(number, "pobj"))
    as_what = (each for each in taken if clause.words[clause.words[each].head].lemma == "as")
    return clause.complement if clause.complement is not None else next(as_what, None)


def _calling(clause: Clause, rest: int | None) -> str:
    """The kind of what else is spoken of; of people also what they are: a leader, an artist."""
    kind = _kind(clause, rest)
    _, is_known, below = clause.words[rest].kind.partition("/person/") if rest is not None else ("", "", "")
    calling = OFFICES.get(clause.words[rest].lemma.lower(), below.partition("/")[0]) if rest is not None else ""
    return f"{SAME_CALLING.get(calling, calling)} person" if kind == "person" and is_known else kind


def _theme_kind(clause: Clause, theme: int | None) -> str:
    """The kind of what is spoken of: told by its name, by what it is said to be, or by what somebody's part is."""
    if theme is not None and _is_role(clause, theme):
        return _calling(clause, theme)
    kind = _kind(clause, theme)
    if kind == "person" and clause.phrase == "be" and clause.complement is None and not _has_surname(clause, theme):
        return ""
    is_said = theme == clause.subject and clause.phrase == "be" and kind not in (*TOLD, *TELLING)
    told = _kind(clause, clause.first("attr")) if is_said else ""
    return told if told in SITES else kind


def _has_surname(clause: Clause, theme: int | None) -> bool:
    """Whether a person is named by more than one word: "Dosa is from South India" may be of a dish."""
    named = clause.named_at(theme) if theme is not None else None
    return named is None or " " in clause.reading.written(named)


def _kind(clause: Clause, theme: int | None) -> str:
    return kind_at(clause, theme) if theme is not None else ""


def _is_specific(clause: Clause, theme: int) -> bool:
    """Whether one thing is meant: it has a name, or is the most of its kind."""
    around = [clause.words[each].tag for each in clause.below[theme]]
    return is_named(clause, theme) or "JJS" in around or "RBS" in around


def _predicate(clause: Clause, slot: Slot) -> str:
    """What is said: the verb, and of "be" what it is that something is."""
    preposition = PREPOSITIONS.get(slot.preposition, slot.preposition)
    if slot.where == "owner" and clause.phrase in HAVING and clause.complement is not None:
        return f"have {clause.words[clause.complement].lemma}"
    if clause.phrase != "be":
        suffix = f" {preposition}" if preposition not in ("", "in") else ""
        return f"{clause.phrase}{suffix}"
    if clause.quality is not None:
        return f"be {clause.words[clause.quality].lemma}"
    if clause.complement is None or clause.words[clause.complement].role == "dobj":
        return "be" if preposition == "in" else f"be {preposition}".strip()
    return _being(clause, clause.complement, slot, preposition)


def _being(clause: Clause, complement: int, slot: Slot, preposition: str) -> str:
    """What is said by "X is a Y in Z": that it is there, where Y is a place, or else what it is."""
    subject = clause.subject
    if subject is not None and clause.words[subject].role == "expl":
        return "there be"
    kind = kind_at(clause, complement)
    if slot.where == "subject" and kind in SITES:
        return "be site"
    if slot.where == "subject" and _is_span(clause, complement, slot):
        return "be span"
    if slot.where == "adverbial" and preposition == "in":
        return "be" if kind in SITES else f"be {kind or clause.words[complement].lemma}"
    if kind == "person" and preposition == "of" and clause.words[complement].lemma not in CIVIC:
        return "be person of"
    return f"be {clause.words[complement].lemma} {preposition}".strip()


def _is_span(clause: Clause, complement: int, slot: Slot) -> bool:
    """Whether something is said to be as long as so many days: "a decade is ten years"."""
    both = (clause.named_at(complement), slot.named)
    return all(named is not None and kind_of_context(clause.reading, named) == "span" for named in both)


@cache
def relations(predicate: str, theme: str) -> frozenset[str]:
    """The classes of a predicate for a kind of theme; itself where it stands in none.

    Example:
        >>> sorted(relations("lie", "place")), sorted(relations("lie", "person"))
        (['existing', 'located'], ['lie'])
    """
    kinds = {theme, theme.rpartition(" ")[2], ANY}
    found = {
        name
        for name, group in _classes().items()
        if predicate in group["predicates"] and kinds.intersection(group["themes"])
    }
    return frozenset(found or {predicate})


def prior_doubt(shared: frozenset[str]) -> float:
    """How much a pair that says this of both is doubted for that alone.

    Example:
        >>> prior_doubt(frozenset({"dying"})) < prior_doubt(frozenset({"having"}))
        True
    """
    return min(_classes()[each]["doubt"] if each in _classes() else UNKNOWN for each in shared)


@cache
def _classes() -> dict[str, dict[str, Any]]:  # Any: parsed TOML
    return tomllib.loads(read_text("relations.toml"))
