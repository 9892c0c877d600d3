"""What shape a time has: years change places with years, seasons with seasons."""

import re

from situatedgen.rules.casing import MONTHS, WEEKDAYS

_MONTH, _DAY = "|".join(MONTHS), "|".join(WEEKDAYS)
# The first that fits is the shape.
_SHAPES = tuple(
    (name, re.compile(pattern, re.I))
    for name, pattern in (
        ("age", r"\b(?:century|centuries|era|period|age|ages|dynasty|epoch|decade)\b|\d0'?s$|\b\w+ties$"),
        ("duration", r"\b(?:seconds?|minutes?|hours?|days|weeks?|months|years?|decades|centuries)\b"),
        ("clock", r"\b\d{1,2}(?::\d\d)? ?(?:[ap]\.?m\.?|o'clock)|\b(?:noon|midnight)\b"),
        ("date", rf"\b(?:{_MONTH})\b.*\d|\d.*\b(?:{_MONTH})\b"),
        ("month", rf"\b(?:{_MONTH})\b"),
        ("weekday", rf"\b(?:{_DAY})s?\b"),
        ("season", r"\b(?:spring|summer|autumn|fall|winter)\b"),
        ("part of day", r"\b(?:morning|afternoon|evening|night|nights|day|daytime|nighttime)\b"),
        ("year", r"\b\d{3,4}\b"),
        ("event", r"\b(?:war|day|battle|olympics|revolution|christmas|easter|halloween|thanksgiving)\b"),
    )
)


def time_shape(text: str) -> str:
    """The shape of a time; `other` where none is known.

    Example:
        >>> [time_shape(text) for text in ("1962", "the eighties", "July", "365 days", "the winter")]
        ['year', 'age', 'month', 'duration', 'season']
    """
    return next((name for name, pattern in _SHAPES if pattern.search(text)), "other")
