"""Reconciles the entities of a tagger with those of the rules, and corrects the tagger's frequent errors."""

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
# Labels that the model gives to places it does not know. PERSON is not among them: it is often right.
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
# Books, laws, prizes and things that the model mistakes for events.
_NO_EVENT = re.compile(
    one_of("Amendment Testament Bible Awards? award Book Lake Playstation Show Stadium Inch New.World")
)
_LEFTOVER = re.compile(
    rf"\s(?:{one_of('is are was were has have had contains? means? will does do')}\b.*|{one_of('and or of the in')}$)"
)
# "7 days in a week", "one seventh of a year": two amounts that the model merges into one.
_UNIT = one_of("minute hour day week month year decade century")
_SECOND_TIME = re.compile(rf"(?<=\w) (?:in|of) (?:an?|one|each|every) {_UNIT}$")
_FRACTION = re.compile(rf"{one_of('[Oo]ne [Tt]wo [Tt]hree [Ff]our [Ff]ive [Ss]ix [Ss]even [Ee]ight [Nn]ine')}[ -]\w+")
_GOVERNMENT = re.compile(r"(?:[Tt]he )?[Gg]overnment of (?P<place>.+)")

Correction = Callable[[str, Entity], Entity | None]


def correct_entities(text: str, entity: Entity) -> Entity | None:
    """The model's entity, corrected; None if it is no entity at all.

    A name needs a capital; a place must exist; a date must say when, and contains no verb; the opening word of a
    question and a possessive mark are not part of a name.
    """
    found: Entity | None = entity
    for correct in _CORRECTIONS:
        found = correct(text, found) if found else None
    return found


def _without_opening(text: str, entity: Entity) -> Entity:
    opening = _OPENING.match(text, 0, entity.end) if entity.start == 0 else None
    return Entity(opening.end(), entity.end, entity.label) if opening else entity


def _governed_state(text: str, entity: Entity) -> Entity:
    """Reduce "the Government of India" to the state."""
    place = _GOVERNMENT.fullmatch(text, entity.start, entity.end) if entity.label is Label.ORG else None
    return Entity(*place.span("place"), Label.GPE) if place and is_place_name(place["place"]) else entity


def _without_owner_mark(text: str, entity: Entity) -> Entity:
    owned = entity.label in _OWNERS and text.endswith(("'s", "’s"), entity.start + 1, entity.end)
    return Entity(entity.start, entity.end - 2, entity.label) if owned else entity


def _require_capital(text: str, entity: Entity) -> Entity | None:
    return None if entity.label in _NAMES and text[entity.start : entity.end].islower() else entity


def _label_celestial_body(text: str, entity: Entity) -> Entity:
    heavenly = text[entity.start : entity.end] in _HEAVENS
    return Entity(entity.start, entity.end, Label.LOC) if heavenly else entity


def _correct_place(text: str, entity: Entity) -> Entity | None:
    if entity.label is Label.GPE:
        return entity if _is_place(text, entity) else None
    mistaken = entity.label in _MISTAKEN_PLACES and _is_mistaken_place(text, entity)
    return Entity(entity.start, entity.end, Label.GPE) if mistaken else entity


def _correct_time(text: str, entity: Entity) -> Entity | None:
    if entity.label not in (Label.DATE, Label.TIME):
        return entity
    cut = _SECOND_TIME.sub("", _LEFTOVER.sub("", text[entity.start : entity.end]))
    length = text[: entity.start].endswith(("light ", "light-"))
    true = _TIME_WORD.search(cut) and not _NO_TIME.search(cut) and not length
    part = _SECOND_TIME.search(text, entity.start, entity.end) and _FRACTION.fullmatch(cut)
    label = entity.label if true else Label.CARDINAL
    return Entity(entity.start, entity.start + len(cut), label) if true or part else None


def _drop_article(text: str, entity: Entity) -> Entity:
    return without_article(text, entity) if entity.label in (Label.DATE, Label.TIME) else entity


def _correct_event(text: str, entity: Entity) -> Entity | None:
    mistaken = entity.label is Label.EVENT and _NO_EVENT.search(text, entity.start, entity.end)
    return None if mistaken else entity


_CORRECTIONS: tuple[Correction, ...] = (
    _without_opening,
    _without_owner_mark,
    _governed_state,
    _require_capital,
    _label_celestial_body,
    _correct_place,
    _correct_time,
    _drop_article,
    _correct_event,
)


def _is_place(text: str, entity: Entity) -> bool:
    """Whether the place found by the model exists; a small town is not accepted at the start of a sentence."""
    written = text[entity.start : entity.end]
    if len(written) == 1 or written.endswith(" of"):
        return False
    if is_place_name(written) or _REALM.search(written) or holds_place_name(written):
        return True
    if follows(_AFTER_REALM, text, entity.start) or _BEFORE_STATE.match(text, entity.end):
        return True
    return entity.start > 0 and is_small_place(written)


def _is_mistaken_place(text: str, entity: Entity) -> bool:
    """Whether the model gave another label to a large place, or to a small one where a place is expected."""
    written = text[entity.start : entity.end]
    if written.islower():
        return False
    small = entity.label is Label.ORG and is_small_place(written) and awaits_place(text, entity.start)
    return small or is_place_name(written)


# A number, or a word for a place or a people, is less specific than the date that contains it.
_WEAK = frozenset({Label.CARDINAL, Label.ORDINAL, Label.QUANTITY, Label.PERCENT, Label.NORP, Label.LOC})
_TITLED = frozenset({Label.WORK_OF_ART, Label.PRODUCT, Label.LAW})
_PERSONAL_TIMES = frozenset({"April", "June", "May", "August", "Summer", "Autumn"})
# "the United States Navy" names the state itself, "the Toronto Star" only the newspaper.
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
    """Merge the entities found by the model and by the rules, sorted and without overlaps.

    Of two entities of the same kind the longer wins. A time found by a rule wins over numbers and peoples inside it and
    over most other names, but not over a title or name that contains it ("Monday Night Football"). A place found by a
    rule wins if the model gave exactly the same words another label, but not over a person who may have that name, nor
    inside a longer name ("Paris Hilton"). The state in the name of its institution counts as a place only if the text
    names no other place or time.
    """
    trusted = tuple(fair for entity in model if (fair := correct_entities(text, entity)))
    standing = tuple(rule for rule in ruled if not any(_rule_yields(text, rule, entity) for entity in trusted))
    rules = tuple(narrow_event(text, rule, trusted) for rule in standing)
    organs = [entity for entity in trusted if entity.label is Label.ORG]
    apart = tuple(rule for rule in rules if not any(_heads_organ(text, rule, organ) for organ in organs))
    found = _merge(text, trusted, apart)
    wanted = len(apart) < len(rules) and context_of(entity.label for entity in found) is Context.NONE
    return _merge(text, trusted, rules) if wanted else found


def _merge(text: str, trusted: Sequence[Entity], rules: Sequence[Entity]) -> tuple[Entity, ...]:
    kept = [part for entity in trusted for part in _remainder(text, entity, rules)]
    return longest_apart([*kept, *rules])


def _rule_yields(text: str, rule: Entity, entity: Entity) -> bool:
    """Whether an entity found by a rule yields to one found by the model."""
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
    """Whether the place is the state whose institution the model found: "the United States Navy"."""
    before = text[entity.start : rule.start].lower()
    return entity.label is Label.ORG and before in ("", "the ") and bool(_ORGAN.match(text, rule.end))


def _ends_hasty_name(text: str, rule: Entity, entity: Entity) -> bool:
    """Whether the model extended a name into the place after it: "Charlemagne at Agincourt"."""
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


def _remainder(text: str, entity: Entity, rules: Sequence[Entity]) -> list[Entity]:
    """What is left of the model's entity before the rules' entities that overlap it."""
    meeting = [rule for rule in rules if overlap(rule, entity)]
    if not meeting:
        return [entity]
    end = min(rule.start for rule in meeting)
    if end <= entity.start or entity.label in _WEAK or _kind(entity) in ("geo", "temp"):
        return []
    before = _LOOSE_END.sub("", text[entity.start : end])
    return [Entity(entity.start, entity.start + len(before), entity.label)] if before else []
