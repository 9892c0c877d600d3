"""Putting right what the small model often gets wrong."""

import re
from collections.abc import Callable

from situatedgen.records import Entity
from situatedgen.rules.durations import without_article
from situatedgen.rules.phrases import follows, one_of
from situatedgen.rules.places import awaits_place, holds_place_name, is_place_name, is_small_place
from situatedgen.vocabulary import Label

_HEAVENS = frozenset("Earth Jupiter Mars Mercury Moon Neptune Pluto Saturn Sun Uranus Venus".split())
_NAMES = frozenset({Label.FAC, Label.GPE, Label.NORP, Label.ORG, Label.PERSON, Label.PRODUCT})
_OWNERS = frozenset({Label.GPE, Label.LOC, Label.NORP, Label.PERSON})
# Labels that the model gives to places it does not know; what it calls a person often is one.
_MISTAKEN_PLACES = frozenset({Label.ORG, Label.LOC, Label.FAC, Label.NORP, Label.PRODUCT, Label.WORK_OF_ART})
_OPENING = re.compile(one_of("Are Can Could Did Do Does Has Have If In Is Should Was Were Will Would") + " ")
_REALMS = one_of("Empire Republic Kingdom County District City Province State States Islands? Prefecture Colony Union")
_REALM = re.compile(rf"{_REALMS}$|^(?:[Tt]he )?{_REALMS} of ")
_AFTER_REALM = re.compile(
    rf"\b{one_of('borough city town village county country state province district region')} of $"
)
_BEFORE_STATE = re.compile(r", (?:the )?[A-Z]")
_TIME_WORD = re.compile(
    r"\d{3}|\d(?:st|nd|rd|th)\b|\d[:/]\d|\b"
    + one_of(
        "second minute hour hr day mid night morning noon afternoon evening dawn dusk week fortnight month year annual"
        " decade centur millenni season summer winter autumn spring fall age era period dynast today tomorrow yesterday"
        " tonight overnight now time eve ago january february march april may june july august september october"
        " november december daily monday tuesday wednesday thursday friday saturday sunday christmas easter halloween"
        " thanksgiving ramadan holidays past recent future present twenties thirties forties fifties sixties seventies"
        " eighties nineties bi(?=annual|month|week) once"
    ),
    re.IGNORECASE,
)
_NO_TIME = re.compile(r"[{}+=]|\blight[ -]years?\b", re.IGNORECASE)
# Books, laws, prizes and things that the model takes for happenings.
_NO_EVENT = re.compile(
    one_of("Amendment Testament Bible Awards? award Book Lake Playstation Show Stadium Inch New.World")
)
_LEFTOVER = re.compile(
    rf"\s(?:{one_of('is are was were has have had contains? means? will does do')}\b.*|{one_of('and or of the in')}$)"
)
# "7 days in a week", "one seventh of a year": two amounts that the model takes for one.
_UNIT = one_of("minute hour day week month year decade century")
_SECOND_TIME = re.compile(rf"(?<=\w) (?:in|of) (?:an?|one|each|every) {_UNIT}$")
_FRACTION = re.compile(rf"{one_of('[Oo]ne [Tt]wo [Tt]hree [Ff]our [Ff]ive [Ss]ix [Ss]even [Ee]ight [Nn]ine')}[ -]\w+")
_GOVERNMENT = re.compile(r"(?:[Tt]he )?[Gg]overnment of (?P<place>.+)")

Correction = Callable[[str, Entity], Entity | None]


def corrected(text: str, entity: Entity) -> Entity | None:
    """The model's entity put right; nothing where it is no entity at all.

    A name has a capital; a place is one that there is; a date says when, and holds no verb; what a question opens
    with and what marks an owner are no part of a name.
    """
    found: Entity | None = entity
    for correct in _CORRECTIONS:
        found = correct(text, found) if found else None
    return found


def _without_opening(text: str, entity: Entity) -> Entity:
    opening = _OPENING.match(text, 0, entity.end) if entity.start == 0 else None
    return Entity(opening.end(), entity.end, entity.label) if opening else entity


def _governed(text: str, entity: Entity) -> Entity:
    """The state alone of "the Government of India"."""
    place = _GOVERNMENT.fullmatch(text, entity.start, entity.end) if entity.label is Label.ORG else None
    return Entity(*place.span("place"), Label.GPE) if place and is_place_name(place["place"]) else entity


def _without_owner_mark(text: str, entity: Entity) -> Entity:
    owned = entity.label in _OWNERS and text.endswith(("'s", "’s"), entity.start + 1, entity.end)
    return Entity(entity.start, entity.end - 2, entity.label) if owned else entity


def _name_with_capital(text: str, entity: Entity) -> Entity | None:
    return None if entity.label in _NAMES and text[entity.start : entity.end].islower() else entity


def _heavenly_body(text: str, entity: Entity) -> Entity:
    heavenly = text[entity.start : entity.end] in _HEAVENS
    return Entity(entity.start, entity.end, Label.LOC) if heavenly else entity


def _true_place(text: str, entity: Entity) -> Entity | None:
    if entity.label is Label.GPE:
        return entity if _is_place(text, entity) else None
    mistaken = entity.label in _MISTAKEN_PLACES and _is_mistaken_place(text, entity)
    return Entity(entity.start, entity.end, Label.GPE) if mistaken else entity


def _true_time(text: str, entity: Entity) -> Entity | None:
    if entity.label not in (Label.DATE, Label.TIME):
        return entity
    cut = _SECOND_TIME.sub("", _LEFTOVER.sub("", text[entity.start : entity.end]))
    length = text[: entity.start].endswith(("light ", "light-"))
    true = _TIME_WORD.search(cut) and not _NO_TIME.search(cut) and not length
    part = _SECOND_TIME.search(text, entity.start, entity.end) and _FRACTION.fullmatch(cut)
    label = entity.label if true else Label.CARDINAL
    return Entity(entity.start, entity.start + len(cut), label) if true or part else None


def _true_length(text: str, entity: Entity) -> Entity:
    return without_article(text, entity) if entity.label in (Label.DATE, Label.TIME) else entity


def _true_event(text: str, entity: Entity) -> Entity | None:
    mistaken = entity.label is Label.EVENT and _NO_EVENT.search(text, entity.start, entity.end)
    return None if mistaken else entity


_CORRECTIONS: tuple[Correction, ...] = (
    _without_opening,
    _without_owner_mark,
    _governed,
    _name_with_capital,
    _heavenly_body,
    _true_place,
    _true_time,
    _true_length,
    _true_event,
)


def _is_place(text: str, entity: Entity) -> bool:
    """Whether a model's place is one that there is; a small town does not open a sentence alone."""
    written = text[entity.start : entity.end]
    if len(written) == 1 or written.endswith(" of"):
        return False
    if is_place_name(written) or _REALM.search(written) or holds_place_name(written):
        return True
    if follows(_AFTER_REALM, text, entity.start) or _BEFORE_STATE.match(text, entity.end):
        return True
    return entity.start > 0 and is_small_place(written)


def _is_mistaken_place(text: str, entity: Entity) -> bool:
    """Whether the model gave another label to a great place, or to a small one where a place is awaited."""
    written = text[entity.start : entity.end]
    if written.islower():
        return False
    small = entity.label is Label.ORG and is_small_place(written) and awaits_place(text, entity.start)
    return small or is_place_name(written)
