"""Two statements side by side: whether they say the same kind of thing, in the same form, of comparable things."""

from dataclasses import dataclass

from situatedgen.screening.clauses import Clause
from situatedgen.screening.frames import Frame, frame_of
from situatedgen.screening.kinds import CLOSE, FAR, SAME, distance, kind_at

OPEN = frozenset({"having", "known", "be site", "spanning", "celebrating", "popular"})
"""Relations in which the context itself is the subject, so that what is said of it may be of any kind."""
SPREAD = frozenset({"located", "living", "having", "growing", "from", "origin"})
"""Relations that hold of many places at once, unless one thing is meant."""
TAKING = frozenset({"winning", "trading"})
"""Relations whose objects may be of any kind."""
VAGUE = frozenset({"exist", "operate", "travel to", "travel", "spend", "visit", "belong to"})
"""What may be said of anything, and of many places."""
STATIVE = frozenset({"be", "have", "find", "see", "visit", "celebrate", "take", "play", "serve", "rule"})
"""Verbs whose sense is the same with an object and without."""
MARKING = frozenset({"celebrate", "commemorate", "honour", "honor"})
FEASTS = frozenset({"occasion", "time", "event"})
"""What may itself celebrate something, and is celebrated by others."""
LIGHT = frozenset({"role", "part", "care", "effect", "roll"})
"""Objects that make another verb of a verb: "play a role", "take part"."""


@dataclass(frozen=True, slots=True)
class Outline:
    """What is compared of a statement: its frames around a place and around a time, and its verb with its sense."""

    place: Frame | None
    time: Frame | None
    verb: str
    sense: str


def outline_of(clause: Clause) -> Outline:
    """The outline of a clause."""
    return Outline(frame_of(clause, place=True), frame_of(clause, place=False), clause.phrase, _sense(clause))


def _sense(clause: Clause) -> str:
    """What a verb governs, which tells its senses apart: a clause, a light noun, something abstract, or nothing."""
    if clause.arguments("ccomp"):
        return "clause"
    complement = clause.complement
    if complement is not None and clause.words[complement].lemma in LIGHT:
        return "light"
    inward = [each for number in clause.arguments("prep") for each in clause.under(number, "pobj")]
    if clause.phrase in MARKING and not clause.is_passive and clause.subject is not None:
        return "object" if kind_at(clause, clause.subject) in FEASTS else ""
    if clause.phrase == "live" and any(_is_state(clause.words[each].kind) for each in inward):
        return "state"
    return "object" if clause.first("dobj") is not None and clause.phrase not in STATIVE else ""


def _is_state(kind: str) -> bool:
    return "/attribute/state/" in f"{kind}/" or "/feeling/" in f"{kind}/"


def matches(left: Outline, right: Outline) -> tuple[tuple[Frame, Frame], ...]:
    """The frames of two statements that can be set against each other: around their places, around their times."""
    places = ((left.place, right.place),) if left.place is not None and right.place is not None else ()
    times = ((left.time, right.time),) if left.time is not None and right.time is not None else ()
    return places + times


def other_relation(left: Outline, right: Outline) -> bool:
    """Something else is said, or one denies what the other affirms."""
    return not any(
        one.relations & other.relations and one.is_negated == other.is_negated for one, other in matches(left, right)
    )


def other_sense(left: Outline, right: Outline) -> bool:
    """The same verb stands in another sense: "find" and "find that", "play football" and "play a role"."""
    return left.verb == right.verb and left.sense != right.sense


def other_roles(left: Outline, right: Outline) -> bool:
    """The places or times stand in other positions of the clause."""
    return not any(
        (one.where, one.preposition) == (other.where, other.preposition) for one, other in matches(left, right)
    )


def place_against_time(left: Outline, right: Outline) -> bool:
    """A place is set against a time, or a time against one of another kind."""
    return not any(one.context == other.context for one, other in matches(left, right))


def unlike_subjects(left: Outline, right: Outline) -> bool:
    """What is spoken of cannot be compared, or what is said of it."""
    return all(
        theme_distance(one, other) == FAR or _rests_apart(one, other) == FAR for one, other in matches(left, right)
    )


def _rests_apart(one: Frame, other: Frame) -> int:
    """How unlike the objects of two frames are, where that matters: one may win or sell anything."""
    return SAME if one.relations & other.relations & TAKING else distance(one.rest, other.rest)


def theme_distance(one: Frame, other: Frame) -> int:
    """How unlike the themes of two frames are, given what is said of them."""
    shared = one.relations & other.relations
    if shared & OPEN:
        return SAME if one.theme == other.theme else CLOSE
    return distance(one.theme, other.theme)


def true_of_many(left: Outline, right: Outline) -> bool:
    """A statement only says what may be, or neither means one thing: so it holds of many places or times."""
    found = matches(left, right)
    return bool(found) and all(
        one.is_hedged or other.is_hedged or (_is_loose(one) and _is_loose(other)) for one, other in found
    )


def _is_loose(frame: Frame) -> bool:
    """Whether nothing in particular is meant, or somebody is only said to be somewhere."""
    is_somewhere = frame.theme == "person" and "be" in frame.relations
    return is_somewhere or bool(frame.relations & VAGUE) or (not frame.is_specific and bool(frame.relations & SPREAD))
