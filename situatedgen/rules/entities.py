"""Entities of a tagger reconciled with those that rules find, its frequent errors corrected."""

import re
from collections.abc import Callable, Iterable, Sequence

from situatedgen.records import Entity
from situatedgen.rules.keywords import context_of
from situatedgen.rules.places import awaits_place, holds_place_name, is_personal_name, is_place_name, is_small_place
from situatedgen.rules.spans import follows, longest_apart, one_of, overlap
from situatedgen.rules.times import narrow_event, without_article
from situatedgen.vocabulary import GEO_LABELS, TEMP_LABELS, Context, Label

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


def correct_entities(text: str, entity: Entity) -> Entity | None:
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


# A number, or a word that only belongs to a place or a people, says less than the date it stands in.
_WEAK = frozenset({Label.CARDINAL, Label.ORDINAL, Label.QUANTITY, Label.PERCENT, Label.NORP, Label.LOC})
_TITLED = frozenset({Label.WORK_OF_ART, Label.PRODUCT, Label.LAW})
_PERSONAL_TIMES = frozenset({"April", "June", "May", "August", "Summer", "Autumn"})
# The state itself is named in "the United States Navy", and only the paper in "the Toronto Star".
_ORGAN = re.compile(
    r"(?:'s)? "
    + one_of(
        "Air Army Navy Marine Military Coast Government Congress Senate House Parliament Supreme Department Postal"
        " Treasury Census President Capitol Secretary Embassy Airlines"
    )
    + r"\b"
)
_LOOSE_END = re.compile(r"(?:\s+(?:at|in|from|near|on|of|the))*\s*$")
_PLACING = (" at ", " in ", " from ", " near ")
_SCHOOL = re.compile(r"Universit|College|School|Institute")


def reconcile(text: str, model: Iterable[Entity], ruled: Iterable[Entity]) -> tuple[Entity, ...]:
    """The entities of a text, of the model's finds and the rules', sorted and apart.

    The longer of two of one kind stands. A rule's time stands against numbers and peoples inside it and against
    most other names, but not against a title or name that holds it ("Monday Night Football"). A rule's place
    stands where the model called the very same words something else, but not against a person who may bear that
    name, nor inside a longer name ("Paris Hilton"). The state in the name of its organ is a place only in a text
    that names no other place or time.
    """
    trusted = tuple(fair for entity in model if (fair := correct_entities(text, entity)))
    standing = tuple(rule for rule in ruled if not any(_yields(text, rule, entity) for entity in trusted))
    rules = tuple(narrow_event(text, rule, trusted) for rule in standing)
    organs = [entity for entity in trusted if entity.label is Label.ORG]
    apart = tuple(rule for rule in rules if not any(_heads_organ(text, rule, organ) for organ in organs))
    found = _joined(text, trusted, apart)
    wanted = len(apart) < len(rules) and context_of(entity.label for entity in found) is Context.NONE
    return _joined(text, trusted, rules) if wanted else found


def _joined(text: str, trusted: Sequence[Entity], rules: Sequence[Entity]) -> tuple[Entity, ...]:
    kept = [part for entity in trusted for part in _beside(text, entity, rules)]
    return longest_apart([*kept, *rules])


def _yields(text: str, rule: Entity, entity: Entity) -> bool:
    """Whether a rule's find gives way to a model's."""
    if not overlap(rule, entity):
        return False
    inside = entity.start <= rule.start and rule.end <= entity.end
    if _kind(rule) == _kind(entity):
        return inside
    if rule.label in GEO_LABELS:
        return _place_yields(text, rule, entity, inside=inside)
    return _time_yields(text, rule, entity, inside=inside)


def _kind(entity: Entity) -> str:
    if entity.label in GEO_LABELS:
        return "geo"
    return "temp" if entity.label in TEMP_LABELS else entity.label


def _place_yields(text: str, rule: Entity, entity: Entity, *, inside: bool) -> bool:
    if (rule.start, rule.end) == (entity.start, entity.end):
        return (
            entity.label is Label.PERSON
            and is_personal_name(text[rule.start : rule.end])
            and not awaits_place(text, rule.start)
        )
    return inside and not _heads_organ(text, rule, entity) and not _ends_hasty_name(text, rule, entity)


def _heads_organ(text: str, rule: Entity, entity: Entity) -> bool:
    """Whether the place is the state whose organ the model found: "the United States Navy"."""
    before = text[entity.start : rule.start].lower()
    return entity.label is Label.ORG and before in ("", "the ") and bool(_ORGAN.match(text, rule.end))


def _ends_hasty_name(text: str, rule: Entity, entity: Entity) -> bool:
    """Whether the model ran on from a name into the place after it: "Charlemagne at Agincourt"."""
    before = text[entity.start : rule.start]
    hasty = entity.label in (Label.ORG, Label.PERSON) and rule.end == entity.end
    return hasty and before.endswith(_PLACING) and not _SCHOOL.search(before)


def _time_yields(text: str, rule: Entity, entity: Entity, *, inside: bool) -> bool:
    written = text[rule.start : rule.end]
    if (rule.start, rule.end) == (entity.start, entity.end):
        return entity.label is Label.PERSON and written in _PERSONAL_TIMES
    if not inside or entity.label in _WEAK:
        return False
    if rule.label is Label.EVENT:
        return " " not in written or (entity.label in _TITLED and rule.start != entity.start)
    return entity.label in _TITLED or not any(letter.isdigit() for letter in written)


def _beside(text: str, entity: Entity, rules: Sequence[Entity]) -> list[Entity]:
    """What is left of a model's find before the rules' finds that overlap it."""
    meeting = [rule for rule in rules if overlap(rule, entity)]
    if not meeting:
        return [entity]
    end = min(rule.start for rule in meeting)
    if end <= entity.start or entity.label in _WEAK or _kind(entity) in ("geo", "temp"):
        return []
    before = _LOOSE_END.sub("", text[entity.start : end])
    return [Entity(entity.start, entity.start + len(before), entity.label)] if before else []
