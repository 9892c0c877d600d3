"""Where the places and times of a sentence stand, for those who read it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from situatedgen.records import Entity
from situatedgen.rules.places import find_places
from situatedgen.rules.text import true_case
from situatedgen.rules.times import find_times
from situatedgen.vocabulary import GEO_LABELS, TEMP_LABELS, Context


class Kind(StrEnum):
    """What a marked stretch of a sentence says: where, or when."""

    PLACE = "place"
    TIME = "time"


@dataclass(frozen=True, slots=True, order=True)
class Mark:
    """A place or a time in a text: half-open character offsets."""

    start: int
    end: int
    kind: Kind


LABELS = {Kind.PLACE: GEO_LABELS, Kind.TIME: TEMP_LABELS}
SHARED = {
    Context.GEO: (Kind.PLACE,),
    Context.TEMP: (Kind.TIME,),
    Context.BOTH: (Kind.PLACE, Kind.TIME),
    Context.NONE: (),
}


def marks_of(entities: Iterable[Entity]) -> tuple[Mark, ...]:
    """The places and times among the entities of a text, in their order there."""
    return tuple(
        sorted(
            Mark(entity.start, entity.end, kind)
            for entity in entities
            for kind, labels in LABELS.items()
            if entity.label in labels
        )
    )


def found_marks(text: str, keywords: Sequence[str]) -> tuple[Mark, ...]:
    """The places and times that the rules find among the keywords of a text: for a dataset without its store.

    Example:
        >>> [text for text in (mark.kind.value for mark in found_marks("It is hot in Spain.", ["Spain"]))]
        ['place']
    """
    cased = true_case(text)
    known = {keyword.casefold() for keyword in keywords}
    times = marks_of(find_times(cased))
    places = [mark for mark in marks_of(find_places(cased)) if not any(_overlap(mark, time) for time in times)]
    return tuple(mark for mark in sorted([*times, *places]) if _is_known(text[mark.start : mark.end], known))


def _is_known(found: str, keywords: set[str]) -> bool:
    """Whether a stretch is a keyword, or the greater part of one or the other way round."""
    small = found.casefold()
    return any(small in keyword or keyword in small for keyword in keywords)


def _overlap(left: Mark, right: Mark) -> bool:
    return left.start < right.end and right.start < left.end
