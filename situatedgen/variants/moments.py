"""Times that can be told apart by a number: years, decades, centuries, months, weekdays, and the two seasons."""

import re
from dataclasses import dataclass

from situatedgen.rules.text import MONTHS, WEEKDAYS

# How far two times of a kind must lie apart before what is true of one is hardly true of the other.
APART = {"year": 30.0, "decade": 30.0, "century": 2.0, "month": 4.0, "weekday": 1.0, "season": 2.0}
CYCLES = {"month": 12, "weekday": 7, "season": 4}
# Spring and autumn share their weather, so that much holds for both.
SEASONS = {"winter": 0, "summer": 2}
_YEAR = re.compile(r"(?:1\d|20)\d\d")
_DECADE = re.compile(r"the ((?:1\d|20)\d0)['’]?s")
_CENTURY = re.compile(r"the (?:early |late |mid[ -])?(\d{1,2})(?:st|nd|rd|th) [Cc]entury")
_SEASON = re.compile(r"(?:the )?(winter|summer)(?: months)?")


@dataclass(frozen=True, slots=True)
class Moment:
    """A time: what kind it is, and where among its kind."""

    kind: str
    value: float

    def is_apart(self, other: "Moment") -> bool:
        """Whether two times are of one kind and far apart; January is near December."""
        if self.kind != other.kind:
            return False
        gap, cycle = abs(self.value - other.value), CYCLES.get(self.kind)
        return (min(gap, cycle - gap) if cycle else gap) >= APART[self.kind]


def moment(text: str) -> Moment | None:
    """The time that a text names, where it is of a known kind and of nothing else.

    Example:
        >>> moment("the 1920s"), moment("two years")
        (Moment(kind='decade', value=1920.0), None)
    """
    if _YEAR.fullmatch(text):
        return Moment("year", float(text))
    for kind, pattern in (("decade", _DECADE), ("century", _CENTURY)):
        if found := pattern.fullmatch(text):
            return Moment(kind, float(found[1]))
    if found := _SEASON.fullmatch(text):
        return Moment("season", float(SEASONS[found[1]]))
    for kind, names in (("month", MONTHS), ("weekday", WEEKDAYS)):
        if text in names:
            return Moment(kind, float(names.index(text)))
    return None
