"""Finding stretches of time by their words: "24 hours", "a lunar month", "for years"."""

import re
from collections.abc import Iterator

from situatedgen.records import Entity
from situatedgen.rules.phrases import follows, one_of
from situatedgen.vocabulary import Label

UNITS = (
    "second seconds minute minutes min mins hour hours hr hrs s day days week weeks weekend weekends fortnight"
    " fortnights month months year years decade decades century centuries millennium millennia"
)
_SHORT = one_of("seconds minutes? mins? hours? hrs?")
_LONG = one_of("days? weeks? weekends? fortnights? months? years? decades? century centuries millennium millennia")

_DIGITS = r"\d[\d,]*(?:\.\d+)?"
_WORDS = one_of(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety"
)
_POWER = one_of("hundred thousand million billion")
_NUMBER = rf"(?:{_DIGITS}|{_WORDS})(?:[ -](?:{_WORDS}|{_POWER}))*"
_HEDGE = r"(?:(?:about|around|approximately|roughly|over|nearly|almost|at least|up to|only|every|another) )?"
_BOUND = r"(?:(?:more|less|fewer) than )?(?:(?:the )?(?:next|last|past|first) )?"
_COUNT = rf"{_HEDGE}{_BOUND}{_NUMBER}(?:(?: ?[-–] ?| to | or | and a half ){_NUMBER}?)?"
_MANY = rf"(?:(?:tens|hundreds|thousands) of )?(?:{_POWER}s|tens|dozens) of|(?:over )?a (?:{_POWER}|dozen)"
_SOME = rf"several|many|a few|few|a couple(?: of)?|half an?|another|recent|countless|{_MANY}"
_POINTING = (
    r"an?|each|every|this|that|next|last|all"
    r"|the (?:next|last|past|first|following|previous|same|coming|whole|entire|current)"
)
_KIND = r"(?:(?:lunar|solar|full|whole|entire|calendar|leap|long|more|consecutive|straight|Earth) )?"
_AGE = r"(?:(?: |-)(?:old|ago|later|earlier|long)\b)?"

# "a second" is an order more often than a time; "2 m/s" and "light years" are no times at all.
_COUNTED = re.compile(
    rf"\b(?<!light )(?<!light-)"
    rf"(?:(?:{_COUNT}|{_SOME})[ -]{_KIND}(?:(?P<short>{_SHORT})|(?P<long>{_LONG}))"
    rf"|(?:{_POINTING}) {_KIND}(?:(?P<a_short>minutes?|hours?)|(?P<a_long>{_LONG}))"
    rf"|{_DIGITS} s|(?:one|1|every) second(?= (?:is|are|has|later|ago|of)\b|[.,;?!]|$))"
    rf"\b(?!/|['’]s\b|-(?!old|long)){_AGE}",
    re.IGNORECASE,
)
_BARE_UNIT = re.compile(rf"an? (?P<unit>{_SHORT}|{_LONG})", re.IGNORECASE)
_SAYS_WHEN = re.compile(rf"\b{one_of('in of for within during after before over than once twice')} $", re.IGNORECASE)
# "14 hours a day", "31 cm a day": a rate.
_HOW_OFTEN = re.compile(r"(?:\w(?<![aiu])s|\b\d\S* \w+) $")
_BARE = re.compile(
    r"\b(?:for|over|after|within|through|throughout|in) (?P<span>(?:the )?"
    r"(?:(?P<short>seconds|minutes|hours)|(?P<long>days|weeks|months|years|decades|centuries)))\b(?! of\b)"
    r"|\b(?P<old>(?:hour|day|week|month|year)s? old)\b"
)


def find_durations(text: str) -> Iterator[Entity]:
    """Amounts of time: "24 hours", "millions of years", "a lunar month", "every day", "for hours"."""
    for match in _COUNTED.finditer(text):
        label = Label.DATE if match["long"] or match["a_long"] else Label.TIME
        yield without_article(text, Entity(match.start(), match.end(), label))
    for match in _BARE.finditer(text):
        label = Label.TIME if match["short"] else Label.DATE
        yield Entity(*match.span("old" if match["old"] else "span"), label)


def without_article(text: str, time: Entity) -> Entity:
    """The unit alone where a text speaks of it: "A day is long". The article stays in "in a day", "a lunar month"."""
    bare = _BARE_UNIT.fullmatch(text, time.start, time.end)
    if bare is None or any(follows(pattern, text, time.start) for pattern in (_SAYS_WHEN, _HOW_OFTEN)):
        return time
    return Entity(bare.start("unit"), time.end, time.label)
