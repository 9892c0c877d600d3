"""What kind of time a text names, and whether one time lies in another."""

import re
from functools import cache

from situatedgen.rules.casing import MONTHS
from situatedgen.screening.reading import Named, Reading
from situatedgen.vocabulary import Label

Period = tuple[str, ...]
"""A part of the year, or of history, from the largest to the smallest: `("winter", "january", "5")`."""

SEASON_OF = dict(
    zip(MONTHS, ("winter",) * 2 + ("spring",) * 3 + ("summer",) * 3 + ("autumn",) * 3 + ("winter",), strict=True)
)
_KINDS = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        ("often", r"\b(?:every|each|annual|annually|daily|once|weekly|yearly|monthly|overnight|always)\b"),
        ("age", r"\bage (?:of )?\d|\bages \d|\byears? old\b|\baged\b|\bage of\b"),
        ("season", r"\b(?:winter|summer|autumn|spring|fall)(?:s|time)?\b|solstice|equinox"),
        (
            "era",
            r"\b\d{3,4}\b|\d0['’]?s\b|century\b|\d\w\w centuries"
            r"|decade of|\bera\b|period|\bages?\b|dynasty|\bB\.?C|\bA\.?D\b",
        ),
        ("month", rf"\b(?:{'|'.join(MONTHS)})\b"),
        ("weekday", r"\b(?:sun|mon|tues|wednes|thurs|fri|satur)days?\b"),
        (
            "hour",
            r"morning|evening|\bnight|noon|afternoon|dawn|dusk|o['’]clock|\b[ap]\.?m\b|midnight|sunset|sunrise|daytime",
        ),
        (
            "span",
            r"\b(?:years?|months?|weeks?|days?|hours?|minutes?|seconds?|seasons?|decades?|centur\w+|millenni\w+)\b",
        ),
    )
)
_WAR = re.compile(
    r"\b(?:wars?|battle|siege|revolution|conflict|blitz|rebellion|invasion|holocaust|WW\w*|attacks?)\b", re.I
)
_GAMES = re.compile(r"olympics?|\bcup\b|\bbowl\b|championship|\bopen\b|\bprix\b|\bgames\b|tournament|\bseries\b", re.I)
CALENDAR = frozenset({"month", "weekday", "feast"})
_YEAR = re.compile(r"\b(1\d|20)(\d)\d\b")
_DECADE = re.compile(r"(?:\b(1\d|20)|['’]|\b(?=[2-9]0['’]?s))(\d)0['’]?s\b")
ORDINALS = {
    f"{name}th": str(number)
    for number, name in enumerate("thirteen fourteen fifteen sixteen seventeen eighteen nineteen twentie".split(), 13)
} | {"twelfth": "12", "twenty-first": "21"}
_CENTURY = re.compile(rf"\b(?:(\d{{1,2}})(?:st|nd|rd|th)|({'|'.join(ORDINALS)}))[ -]centur", re.I)
_SEASON = re.compile(r"\b(winter|summer|autumn|spring|fall)", re.I)
_SPAN = re.compile(r"\b(\d+|an?|one|each|every) (year|month|week|day|hour|minute|second)\b", re.I)
ONES = dict.fromkeys(("a", "an", "one", "each", "every"), "1")
_MONTH = re.compile(rf"\b({'|'.join(MONTHS)})\b(?:\D{{0,5}}(\d{{1,2}})\b)?", re.I)


def kind_of_time(text: str, label: Label | None) -> str:
    """What kind of time a text names: an era, a part of the year, an hour, a span, how often, a war, games, a feast.

    Example:
        >>> kind_of_time("the 1960s", Label.DATE), kind_of_time("late March", Label.DATE)
        ('era', 'month')
    """
    if label is Label.EVENT:
        return "war" if _WAR.search(text) else "games" if _GAMES.search(text) else "feast"
    return next((kind for kind, pattern in _KINDS if pattern.search(text)), "other")


def periods_of(reading: Reading) -> tuple[Period, ...]:
    """The times of a statement whose place in the year or in history is known, each once."""
    found = {period_of(reading.written(named)) for named in reading.keywords if named.is_time}
    return tuple(sorted(found - {()}))


@cache
def period_of(text: str) -> Period:
    """Where a time lies: century, decade and year, or season, month and day; or how long it is; or nothing.

    Example:
        >>> period_of("January 5"), period_of("1969")
        (('winter', 'january', '5'), ('20', '6', '1969'))
    """
    if decade := _DECADE.search(text):
        century = str(int(decade[1] or 19) + 1)
        return (century,) if decade[2] == "0" and decade[1] else (century, decade[2])
    if year := _YEAR.search(text):
        return str(int(year[1]) + 1), year[2], year[0]
    if named := _CENTURY.search(text):
        return (named[1] or ORDINALS[named[2].lower()],)
    if month := _MONTH.search(text):
        name = month[1].capitalize()
        return tuple(filter(None, (SEASON_OF[name], name.lower(), month[2])))
    if season := _SEASON.search(text):
        return (season[1].lower().replace("fall", "autumn"),)
    span = _SPAN.search(text)
    return ("span", ONES.get(span[1].lower(), span[1]), span[2].lower()) if span else ()


def lie_within(left: tuple[Period, ...], right: tuple[Period, ...]) -> bool:
    """A time of one statement lies in a time of the other: "January", "winter"."""
    return any(_is_within(one, other) for one in left for other in right)


def _is_within(one: Period, other: Period) -> bool:
    shorter, longer = sorted((one, other), key=len)
    return longer[: len(shorter)] == shorter


def kind_of_context(reading: Reading, named: Named) -> str:
    """What kind of context a place or time is; months, days and feasts are one."""
    if named.is_place:
        return "place"
    kind = kind_of_time(reading.written(named), named.label)
    return "calendar" if kind in CALENDAR else kind
