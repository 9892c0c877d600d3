"""Finding everything that says when: dates, times of the day, stretches of time, happenings."""

import re
from collections.abc import Callable, Iterator

from situatedgen.records import Entity
from situatedgen.rules.calendar import DECADES, find_ages, find_centuries, find_months, find_weekdays, find_years
from situatedgen.rules.casing import MONTHS, WEEKDAYS
from situatedgen.rules.durations import UNITS, find_durations
from situatedgen.rules.events import EVENT_WORDS, find_listed_events, find_named_events
from situatedgen.rules.hours import PARTS_OF_DAY, find_hours
from situatedgen.rules.phrases import words_of
from situatedgen.rules.seasons import SEASONS, find_seasons
from situatedgen.rules.stretches import longest_apart

Finder = Callable[[str], Iterator[Entity]]
_DIGIT = re.compile(r"\d")

_WEEKDAYS = [day.lower() + plural for day in WEEKDAYS for plural in ("", "s")]
# Each finder with the words without which it finds nothing; any digit counts as the word "0".
FINDERS: tuple[tuple[frozenset[str], Finder], ...] = (
    (frozenset(month.lower() for month in MONTHS), find_months),
    (frozenset([*_WEEKDAYS, *"today yesterday tomorrow round".split()]), find_weekdays),
    (frozenset({"0"}), find_years),
    (frozenset(["century", "centuries", "millennium", *DECADES.split()]), find_centuries),
    (frozenset("period era dynasty epoch age ages".split()), find_ages),
    (frozenset(SEASONS.split()), find_seasons),
    (frozenset(UNITS.split()), find_durations),
    (frozenset(["0", "clock", *PARTS_OF_DAY.split()]), find_hours),
    (frozenset(EVENT_WORDS.split()), find_named_events),
)


def find_times(text: str) -> tuple[Entity, ...]:
    """Every date, time and event that its words give away, sorted, none overlapping another."""
    words = words_of(text) | {"0" for _ in _DIGIT.findall(text)[:1]}
    found = [*find_listed_events(text)]
    for needed, find in FINDERS:
        if not needed.isdisjoint(words):
            found += find(text)
    return longest_apart(found)
