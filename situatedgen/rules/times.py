"""Finds times in a text: dates, times of day, durations, seasons and named events."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache

from situatedgen.records import Entity
from situatedgen.resources import read_lines
from situatedgen.rules.places import common_words
from situatedgen.rules.spans import PhraseBook, find_phrases, follows, longest_apart, one_of, phrase_book, words_of
from situatedgen.rules.text import MONTHS, WEEKDAYS, is_month
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
_HISTORICAL_AGE = re.compile(
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
    """Weekdays ("Sunday", "every Monday", "Friday the 13th"), "today" and the like."""
    for pattern in (_WEEKDAY, _DAY_WORD):
        for match in pattern.finditer(text):
            yield _date(match)


def find_years(text: str) -> Iterator[Entity]:
    """Years and decades in digits: "1969", "the year 1000", "the 1960s"."""
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
    """Historical and geological ages: "the Qin dynasty", "the Middle Ages", "the Mesozoic era"."""
    for match in _HISTORICAL_AGE.finditer(text):
        if not match.group().startswith(_NO_AGE):
            yield _date(match)


def _is_month(text: str, match: re.Match[str]) -> bool:
    """Whether "May" or "March" alone is the month: always inside a sentence, at its start by what follows."""
    opening = match.start() == 0
    return not opening or is_month(text, *match.span()) or bool(_BEFORE_VERB.match(text, match.end()))


def _date(match: re.Match[str]) -> Entity:
    return Entity(match.start(), match.end(), Label.DATE)


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
_POINTING_WORDS = (
    r"an?|each|every|this|that|next|last|all"
    r"|the (?:next|last|past|first|following|previous|same|coming|whole|entire|current)"
)
_KIND = r"(?:(?:lunar|solar|full|whole|entire|calendar|leap|long|more|consecutive|straight|Earth) )?"
_AGE_SUFFIX = r"(?:(?: |-)(?:old|ago|later|earlier|long)\b)?"

# "a second" is usually an ordinal, not a time; "2 m/s" and "light years" are not times at all.
_COUNTED = re.compile(
    rf"\b(?<!light )(?<!light-)"
    rf"(?:(?:{_COUNT}|{_SOME})[ -]{_KIND}(?:(?P<short>{_SHORT})|(?P<long>{_LONG}))"
    rf"|(?:{_POINTING_WORDS}) {_KIND}(?:(?P<a_short>minutes?|hours?)|(?P<a_long>{_LONG}))"
    rf"|{_DIGITS} s|(?:one|1|every) second(?= (?:is|are|has|later|ago|of)\b|[.,;?!]|$))"
    rf"\b(?!/|['’]s\b|-(?!old|long)){_AGE_SUFFIX}",
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
    """The unit alone if the text is about it ("A day is long"); "in a day" and "a lunar month" keep the article."""
    bare = _BARE_UNIT.fullmatch(text, time.start, time.end)
    if bare is None or any(follows(pattern, text, time.start) for pattern in (_SAYS_WHEN, _HOW_OFTEN)):
        return time
    return Entity(bare.start("unit"), time.end, time.label)


PARTS_OF_DAY = (
    "morning mornings afternoon afternoons evening evenings night nights midnight noon midday nighttime daytime"
    " dawn dusk tonight"
)
_CLOCK = re.compile(
    r"\b(?:\d{1,2}(?::\d\d)? ?(?:[ap]\.m\.|[ap]m\b)(?: in the (?:morning|afternoon|evening))?"
    r"|\d{1,2}:\d\d\b|\w+ o['’]clock|\d{1,2} at night\b)",
    re.IGNORECASE,
)
_POINTING_DAY = one_of("[Tt]he [Oo]ne [Aa]ll [Ee]very [Ee]ach [Tt]his [Tt]hat [Ll]ast [Nn]ext [Tt]omorrow [Yy]esterday")
_PART_OF_DAY = re.compile(
    rf"(?:\b{_POINTING_DAY} )?"
    rf"(?:{one_of('early late next following previous same')} )?"
    rf"\b(?P<part>{one_of(PARTS_OF_DAY)})\b(?!-)"
)
_OPENING_PART_OF_DAY = re.compile(rf"{one_of(PARTS_OF_DAY.title())}\b(?!-)")
# Nouns that turn a part of the day into a thing: "night sky", "morning glory", "evening gown".
_THING_OF_DAY = re.compile(
    " "
    + one_of(
        "air bird blindness blooming breath club coffee court crawler cream cycle dew dress fever flight fog football"
        " game glory gown guard heron job light live market meal monkey news owl paper people person primrose rain"
        " ride routine school shift show sickness skies sky stand star sun table terror time vision walk watch"
        " watchman wear worker"
    )
    + r"s?\b",
    re.IGNORECASE,
)
_BEFORE_NIGHT = re.compile(
    rf"\b{one_of('at by during of and or to into late per a until than day from over is last')} $"
)
_NEEDS_CONTEXT = ("night", "nights", "dawn", "dusk")


def find_hours(text: str) -> Iterator[Entity]:
    """Clock times and parts of the day."""
    for match in _CLOCK.finditer(text):
        yield Entity(match.start(), match.end(), Label.TIME)
    opening = _OPENING_PART_OF_DAY.match(text)
    if opening and not _THING_OF_DAY.match(text, opening.end()):
        yield Entity(opening.start(), opening.end(), Label.TIME)
    for match in _PART_OF_DAY.finditer(text):
        if _is_part_of_day(text, match):
            yield Entity(match.start(), match.end(), Label.TIME)


def _is_part_of_day(text: str, match: re.Match[str]) -> bool:
    if _THING_OF_DAY.match(text, match.end()) or text.startswith("dawn of", match.start("part")):
        return False
    bare = match["part"] == match.group()
    if bare and match["part"] in _NEEDS_CONTEXT:
        return bool(follows(_BEFORE_NIGHT, text, match.start()))
    return True


SEASONS = "winter winters summer summers autumn autumns spring fall wintertime summertime springtime vernal autumnal"
_ANY = "winter|summer|autumn|spring|fall"
_SEASON = re.compile(
    rf"\b(?:{one_of('The the this that every each last next all one')} )?"
    rf"(?:{one_of('early late mid following previous whole entire')}[ -])?"
    r"(?P<season>winters?|summers?|autumns?|spring|fall|vernal|autumnal)(?P<more>-?time| solstice| equinox)?\b"
    r"(?: (?:season|months?|days)\b)?",
    re.IGNORECASE,
)
# "winter coat", "Summer Olympics", "spring water": not a season of a year.
_THING_OF_SEASON = re.compile(
    " "
    + one_of(
        "olympics? games war palace festival coats? clothes clothing jackets? boots camps? sports? squash tires? home"
        " dress dresses party storms? triangle wheat wonderland hunt smith tides? scales? rolls? water forth reforms"
    )
    + r"\b",
    re.IGNORECASE,
)
_BEFORE_SPRING = re.compile(
    rf"\b(?:{one_of('in during every each this last next early late until by of is as called')}"
    rf"|(?:{_ANY}),?(?: and| or| to| than)?)(?: the)? $",
    re.IGNORECASE,
)
_AFTER_SPRING = re.compile(
    rf" (?:seasons?|months?|(?:and|or|to) (?:{_ANY})|{one_of('is comes begins starts follows arrives ends')})\b"
)


def find_seasons(text: str) -> Iterator[Entity]:
    """Seasons of the year: "winter", "the summer months", "in the fall", "the winter solstice"."""
    for match in _SEASON.finditer(text):
        if _is_season(text, match):
            yield Entity(match.start(), match.end(), Label.DATE)


def _is_season(text: str, match: re.Match[str]) -> bool:
    season = match["season"].lower()
    if season in ("vernal", "autumnal"):
        return match["more"] == " equinox"
    if _THING_OF_SEASON.match(text, match.end()):
        return False
    if match["more"] or season not in ("spring", "fall"):
        return True
    before = follows(_BEFORE_SPRING, text, match.start("season"))
    return bool(before or _AFTER_SPRING.match(text, match.end("season")))


EVENT_WORDS = (
    "war wars revolution rebellion uprising massacre crisis crusade crusades genocide riot riots conflict conquest"
    " famine olympics games festival festivals cup prix marathon championship championships depression earthquake"
    " blockade offensive bombing expedition blitz pandemic purchase battle siege treaty peace surrender fall partition"
    " invasion liberation attack fire bowl operation hurricane typhoon storm cyclone wrestlemania"
)
_NAME = r"(?:St\.|(?!The\b)[A-Z0-9](?:[\w’'–-]*\w)?)"
_KINDS = (
    r"(?:[Cc]ivil [Ww]ar|[Ww]ars?|[Rr]evolution|[Rr]ebellion|[Uu]prising|[Mm]assacre|[Cc]risis|[Cc]rusades?"
    r"|[Gg]enocide|Riots?|[Cc]onflict|Conquest|Famine|Olympics|Olympic Games|Games|Festivals?|World Cup|Grand Prix"
    r"|Marathon|Championships?|Depression|Earthquake|Blockade|Offensive|Bombing|Expedition|Blitz|[Pp]andemic|Purchase)"
)
_OF = one_of(
    "[Bb]attle [Ss]iege [Tt]reaty Peace Surrender Wars? Fall Partition Massacre Invasion Liberation [Aa]ttack"
    " [Bb]ombing"
)
_HEAD = re.compile(r"(?:[Tt]he )?(?:[Bb]attle|[Ss]iege|[Tt]reaty|[Aa]ttack|[Bb]ombing) (?:of|on) (?:the )?")
_NAMED = re.compile(
    rf"\b(?:[Tt]he )?(?:(?:{_NAME} )+(?:and {_NAME} )?{_KINDS}\b"
    rf"|{_OF} (?:of|on) (?:the )?{_NAME}(?: {_NAME})*"
    rf"|(?:Super Bowl|World War|Operation|Hurricane|Typhoon|Tropical Storm|Cyclone|WrestleMania)(?: {_NAME})+)"
)
# Films, games and books that sound like events, and things named after holidays.
_TITLE = re.compile(
    rf"\b{one_of('Star Clone Storage Infinity Guild Robot Price Whisker Trade Cola Console Total')} Wars?\b"
    rf"|\b{one_of('God Gears Art Prisoners? Man Men Dogs Lord Department Secretary')} of |War of the Worlds"
    rf"|\b{one_of('Hunger Squid Video Board Card Computer Mind Epic Reindeer Riot Big')} Games?\b"
)
_THING_OF_EVENT = re.compile(rf" {one_of('Bunny Bunnies Island Lily Lilies Carol carol Vacation')}\b")
_OPENING_WORD = re.compile(
    one_of(
        "During After Before In Since Was Were Did Does Do Is Are Can Could Would Will Has Have If When While Every"
        " A An Many Most Some All Both"
    )
    + " "
)
_TAKES_ARTICLE = frozenset(
    {"World Cup", "Super Bowl", "Summer Olympics", "Winter Olympics", "US Open", "First World War"}
    | {"Second World War"}
)


def find_named_events(text: str) -> Iterator[Entity]:
    """Events by the pattern of their names: "the Boxer Rebellion", "Super Bowl XLIV", "Hurricane Maria"."""
    for match in _NAMED.finditer(text):
        opening = _OPENING_WORD.match(text) if match.start() == 0 else None
        if not _TITLE.search(match.group()):
            yield Entity(opening.end() if opening else match.start(), match.end(), Label.EVENT)


def narrow_event(text: str, event: Entity, others: Iterable[Entity]) -> Entity:
    """Reduce a battle, siege or treaty to its name, unless another entity covers the leading words.

    Example:
        >>> narrow_event("The Battle of Hastings", Entity(0, 22, Label.EVENT), [])
        Entity(start=14, end=22, label=<Label.EVENT: 'EVENT'>)
    """
    head = _HEAD.match(text, event.start, event.end) if event.label is Label.EVENT else None
    if head is None or any(other.start < head.end() and event.start < other.end for other in others):
        return event
    return Entity(head.end(), event.end, event.label)


def find_listed_events(text: str) -> Iterator[Entity]:
    """Events and holidays from our lists: "Holi", "New Year's Eve", "the World Cup", "9/11"."""
    for phrase in find_phrases(text, _book()):
        written = text[phrase.start : phrase.end]
        if not written.islower() and not _THING_OF_EVENT.match(text, phrase.end):
            article = phrase.form in _TAKES_ARTICLE and text[: phrase.start].lower().endswith("the ")
            yield Entity(phrase.start - len("the ") * article, phrase.end, Label.EVENT)


@cache
def _book() -> PhraseBook:
    names = (*read_lines("festivals.txt"), *read_lines("events.txt"))
    return phrase_book(name for name in names if name.lower() not in common_words())


Finder = Callable[[str], Iterator[Entity]]
_DIGIT = re.compile(r"\d")

_WEEKDAYS = [day.lower() + plural for day in WEEKDAYS for plural in ("", "s")]
# Each finder with the words of which it needs at least one; any digit counts as the word "0".
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
    """Every date, time and event that can be recognised by its words, sorted and without overlaps."""
    words = words_of(text) | {"0" for _ in _DIGIT.findall(text)[:1]}
    found = [*find_listed_events(text)]
    for needed, find in FINDERS:
        if not needed.isdisjoint(words):
            found += find(text)
    return longest_apart(found)
