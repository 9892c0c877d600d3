"""Finding dates by their words: months, weekdays, years, decades, centuries, ages."""

import re
from collections.abc import Iterator

from situatedgen.records import Entity
from situatedgen.rules.casing import MONTHS, WEEKDAYS, is_month
from situatedgen.rules.phrases import follows, one_of
from situatedgen.vocabulary import Label

_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_YEAR = r"(?!1000)(?:1\d{3}|20\d\d)"
_EPOCH = r"(?: (?:BCE?|AD|CE)\b)"
_PHASE = r"(?:(?:[Tt]he )?(?:(?:beginning|end|middle|month|start) of|early|late|mid)[ -])?"
_EARLY_OR_LATE = r"(?:[Tt]he )?(?:(?:early|late|mid)[ -])?"
_MONTH = re.compile(
    rf"\b(?:(?:[Tt]he )?{_DAY} (?:of )?|{_PHASE})(?P<month>{'|'.join(MONTHS)})\b"
    rf"(?: (?:the )?{_DAY}(?![\d:]))?(?:,? (?:of )?{_YEAR}\b)?"
)
_MONTH_OR_WORD = ("March", "May", "August")
_BEFORE_VERB = re.compile(
    rf" (?:{one_of('is was has may will can comes begins starts ends falls follows')}\b|and [A-Z])|,"
)
_WEEKDAY = re.compile(
    rf"\b(?:(?:this|that|next|last|every|each) )?(?:{'|'.join(WEEKDAYS)})s?\b"
    r"(?: the \d+th\b| (?:morning|afternoon|evening|night)s?\b)?"
)
_DECADE = re.compile(
    rf"(?<!That ['’])\b{_EARLY_OR_LATE}(?:(?:1\d|20)\d0 ?['’]?s|[2-9]0['’]?s)\b(?: and (?:1\d|20)?\d0['’]?s\b)?"
)
_ORDINAL = one_of(
    r"\d{1,2}(?:st|nd|rd|th) (?:twenty-)?first second third fourth fifth sixth seventh eighth ninth tenth eleventh"
    " twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
DECADES = "twenties thirties forties fifties sixties seventies eighties nineties"
_CENTURY = re.compile(
    rf"\b{_EARLY_OR_LATE}{_ORDINAL}[ -](?:century|centuries|millennium)\b{_EPOCH}?|\bthe {one_of(DECADES)}\b",
    re.IGNORECASE,
)
_NAMED_YEAR = re.compile(rf"\b(?:(?:[Tt]he )?year \d{{1,4}}\b{_EPOCH}?|\d{{1,4}}{_EPOCH}|AD \d{{1,4}}\b)")
_BARE_YEAR = re.compile(rf"\b(?:(?:early|late|mid)[ -])?{_YEAR}(?:[-–](?:\d\d){{1,2}})?\b(?![,.]\d|['’]?s\b|[%°\w-])")
_BEFORE_YEAR = re.compile(
    rf"(?:^|\(|\b{one_of('in by since until till during before after from to through of around circa and the')} "
    rf"|\b{one_of('his her its their spring summer fall winter')} )$",
    re.IGNORECASE,
)
_COUNTED_THING = re.compile(
    rf" (?:[a-z]+(?<![isu])s|{one_of('people men women children percent km feet cm kg mg ml years? more or')})\b"
)
_AGE = re.compile(
    r"\b(?:[Tt]he )?(?:(?:[Ee]arly|[Ll]ate|[Ee]nd of the) )?"
    r"(?:(?:(?!The|This|That|Each|Every|During|In |A )[A-Z][\w-]+ )+(?:[Pp]eriod|[Ee]ra|[Dd]ynasty|[Ee]poch)\b"
    r"|(?:[Ii]ron|[Bb]ronze|[Ss]tone|[Ii]ce) [Aa]ge\b|(?:[Gg]ilded|[Gg]olden|[Jj]azz|[Ss]pace) Age\b"
    r"|(?:[Mm]iddle|[Dd]ark) [Aa]ges\b)"
)
_NO_AGE = ("Duck",)
_DAY_WORD = re.compile(r"(?:^(?:Today|Yesterday|Tomorrow)|\b(?:today|yesterday|tomorrow|year-round))\b(?!['’]s)")


def find_months(text: str) -> Iterator[Entity]:
    """Months with their days and years: "May 20, 2008", "late March", "the month of June"."""
    for match in _MONTH.finditer(text):
        if match["month"] != match.group() or match["month"] not in _MONTH_OR_WORD or _is_month(text, match):
            yield _date(match)


def find_weekdays(text: str) -> Iterator[Entity]:
    """Weekdays: "Sunday", "every Monday", "Friday the 13th"; and "today" and its kin."""
    for pattern in (_WEEKDAY, _DAY_WORD):
        for match in pattern.finditer(text):
            yield _date(match)


def find_years(text: str) -> Iterator[Entity]:
    """Years and decades in figures: "1969", "the year 1000", "the 1960s"."""
    for pattern in (_DECADE, _NAMED_YEAR):
        for match in pattern.finditer(text):
            yield _date(match)
    for match in _BARE_YEAR.finditer(text):
        if follows(_BEFORE_YEAR, text, match.start()) and not _COUNTED_THING.match(text, match.end()):
            yield _date(match)


def find_centuries(text: str) -> Iterator[Entity]:
    """Centuries, and decades in words: "the 20th century", "the fifties"."""
    for match in _CENTURY.finditer(text):
        yield _date(match)


def find_ages(text: str) -> Iterator[Entity]:
    """Ages of the world: "the Qin dynasty", "the Middle Ages", "the Mesozoic era"."""
    for match in _AGE.finditer(text):
        if not match.group().startswith(_NO_AGE):
            yield _date(match)


def _is_month(text: str, match: re.Match[str]) -> bool:
    """Whether "May" or "March" alone is the month: inside a sentence always, at its start by what follows."""
    opening = match.start() == 0
    return not opening or is_month(text, *match.span()) or bool(_BEFORE_VERB.match(text, match.end()))


def _date(match: re.Match[str]) -> Entity:
    return Entity(match.start(), match.end(), Label.DATE)
