"""What shape a time has: years change places with years, seasons with seasons."""

import re

from situatedgen.rules.text import MONTHS, WEEKDAYS

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


_HEDGES = re.compile(r"\b(?:the|an?|about|approximately|around|roughly|nearly|early|late|mid)\b[ -]?", re.I)
_NUMBERS = {
    word: str(number)
    for number, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), 1)
}
_YEARS = (
    (re.compile(r"\b(\d{3,4})\b(?!['’]?s)"), 1, 0, 1),
    (re.compile(r"\b(\d{3}0)['’]?s\b"), 1, 0, 10),
    (re.compile(r"(?<!\d)['’]?(\d0)['’]?s\b"), 1, 1900, 10),
    (re.compile(r"\b(\d{1,2})(?:st|nd|rd|th) centur", re.I), 100, -100, 100),
)


def is_one_time(left: str, right: str) -> bool:
    """Whether two times are the same in other words, or one lies in the other.

    Example:
        >>> is_one_time("about 1 year", "one year"), is_one_time("the 80s", "the late 20th century")
        (True, True)
        >>> is_one_time("1794", "2005"), is_one_time("July", "May")
        (False, False)
    """
    if _bare(left) == _bare(right):
        return True
    (start, end), (other_start, other_end) = years(left), years(right)
    return start < other_end and other_start < end


def years(text: str) -> tuple[int, int]:
    """The first year that a time lies in and the one after its last; nothing (0, 0) where that is not known.

    Example:
        >>> years("the 60s"), years("1962"), years("the 19th century"), years("July")
        ((1960, 1970), (1962, 1963), (1800, 1900), (0, 0))
    """
    for pattern, times, added, length in _YEARS:
        if found := pattern.search(text):
            start = times * int(found[1]) + added
            return start, start + length
    return 0, 0


def _bare(text: str) -> str:
    """A time without what makes no other of it: articles, words such as "about", numbers in letters."""
    return " ".join(_NUMBERS.get(word, word) for word in _HEDGES.sub("", text.lower()).split())
