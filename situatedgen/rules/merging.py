"""Putting what a model and what rules found in a text together."""

import re
from collections.abc import Iterable, Sequence

from situatedgen.records import Entity
from situatedgen.rules.contexts import context_of
from situatedgen.rules.events import narrowed
from situatedgen.rules.phrases import one_of
from situatedgen.rules.places import awaits_place, is_personal_name
from situatedgen.rules.slips import corrected
from situatedgen.rules.stretches import longest_apart, overlap
from situatedgen.vocabulary import GEO_LABELS, TEMP_LABELS, Context, Label

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
    trusted = tuple(fair for entity in model if (fair := corrected(text, entity)))
    standing = tuple(rule for rule in ruled if not any(_yields(text, rule, entity) for entity in trusted))
    rules = tuple(narrowed(text, rule, trusted) for rule in standing)
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
