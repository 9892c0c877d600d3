"""Finds places in a text by gazetteer (towns, states, countries), and the country of a place."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import takewhile
from typing import NamedTuple

from situatedgen.records import Entity
from situatedgen.resources import read_lines
from situatedgen.rules.spans import (
    Phrase,
    PhraseBook,
    find_phrases,
    follows,
    longest_apart,
    one_of,
    phrase_book,
    small_letters,
)
from situatedgen.vocabulary import Label


class Town(NamedTuple):
    """A town: the codes of its country and administrative division, and its GeoNames number."""

    name: str
    country: str
    part: str
    number: str
    population: int


class Country(NamedTuple):
    """A country; its neighbours are comma-separated codes."""

    name: str
    capital: str
    neighbours: str
    code: str


class Continent(NamedTuple):
    """A continent and the codes of its countries."""

    name: str
    code: str
    countries: frozenset[str]


class State(NamedTuple):
    """A state of the United States."""

    name: str
    code: str


@cache
def towns() -> tuple[Town, ...]:
    """The towns with at least 15,000 inhabitants, largest first."""
    rows = (line.split("\t") for line in read_lines("geonames/towns.tsv"))
    return tuple(Town(name, country, part, number, int(people)) for name, country, part, number, people in rows)


@cache
def countries() -> tuple[Country, ...]:
    """The countries."""
    return tuple(Country(*line.split("\t")) for line in read_lines("geonames/countries.tsv"))


@cache
def continents() -> tuple[Continent, ...]:
    """The continents."""
    rows = (line.split("\t") for line in read_lines("geonames/continents.tsv"))
    return tuple(Continent(name, code, frozenset(lands.split(","))) for name, code, lands in rows)


@cache
def states() -> tuple[State, ...]:
    """The states of the United States."""
    return tuple(State(*line.split("\t")) for line in read_lines("geonames/states.tsv"))


@cache
def counties() -> tuple[str, ...]:
    """The names of the counties of the United States."""
    return read_lines("geonames/counties.txt")


# In English-speaking countries, smaller towns are well known.
ENGLISH_SPEAKING = frozenset({"AU", "CA", "GB", "IE", "NZ", "US"})
MIN_POPULATION = 500_000
MIN_POPULATION_ENGLISH = 200_000
# Shorter town names ("Ho", "Man", "Ube") are more often English words than towns.
MIN_LETTERS = 5


@cache
def place_names() -> tuple[str, ...]:
    """Every state, province and large town, with and without accents, sorted."""
    names = {*read_lines("places.txt"), *_bare_country_names(), *(state.name for state in states()), *_large_towns()}
    return tuple(sorted(names | {_strip_accents(name) for name in names}))


@cache
def land_names() -> tuple[str, ...]:
    """Continents, seas and other regions and waters that are not states."""
    return read_lines("regions.txt")


@cache
def small_places() -> frozenset[str]:
    """Every known place name, including small towns and counties, in lower case without accents."""
    small = (town.name for town in towns())
    return frozenset(_strip_accents(name).lower() for name in (*place_names(), *small, *counties()))


@cache
def common_words() -> frozenset[str]:
    """The place names that are also everyday English words, in lower case."""
    return frozenset(read_lines("common_words.txt"))


@cache
def personal_names() -> frozenset[str]:
    """The place names that are also names of people, in lower case."""
    return frozenset(name.lower() for name in read_lines("personal_names.txt"))


def _bare_country_names() -> Iterator[str]:
    for country in countries():
        yield country.name.removeprefix("The ")


def _large_towns() -> Iterator[str]:
    for town in takewhile(lambda town: town.population >= MIN_POPULATION_ENGLISH, towns()):
        floor = MIN_POPULATION_ENGLISH if town.country in ENGLISH_SPEAKING else MIN_POPULATION
        if town.population >= floor and len(town.name) >= MIN_LETTERS:
            yield town.name.removeprefix("The ").removeprefix("City of ")


def _strip_accents(name: str) -> str:
    """The name without accents, as people type it."""
    if name.isascii():
        return name
    letters = unicodedata.normalize("NFKD", name)
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


# Common names of countries that the gazetteer lacks, and the parts of the United Kingdom. None
# ends in a full stop, which at the end of a sentence would be the sentence's own.
SAID = {
    "US": ("America", "US", "USA", "United States of America"),
    "GB": ("Britain", "England", "Great Britain", "Northern Ireland", "Scotland", "UK", "Wales"),
    "NL": ("Holland",),
    "CZ": ("Czech Republic",),
    "RU": ("Soviet Union", "USSR"),
    "MM": ("Burma",),
}
# Ambiguous names: also a state, a province, people or other towns.
DOUBTFUL = frozenset({"Georgia", "Jersey", "Washington", "San Jose", "Georgetown", "Victoria", "Kingston", "Guinea"})
SHORT = ("US", "UK")


@cache
def nations() -> dict[str, str]:
    """The country code of every name that means a single country, a capital, or a US state."""
    found: dict[str, str] = {}
    for name, country in _country_names():
        found[name] = country if found.get(name, country) == country else ""
    return {name: country for name, country in found.items() if country and name not in DOUBTFUL}


def is_elsewhere(country: str, other: str) -> bool:
    """Whether two countries are different and share no border; much that is true of one is true of a neighbour."""
    return country != other and other not in _neighbours().get(country, ()) and country not in _neighbours()[other]


def takes_article(name: str) -> bool:
    """Whether a place name needs `the` before it.

    Example:
        >>> takes_article("United States"), takes_article("Peru")
        (True, False)
    """
    return name.startswith(("United ", "Soviet ", "Czech ", *SHORT)) or name.endswith(
        ("Bahamas", "Maldives", "Netherlands", "Philippines", "Republic", "Islands")
    )


def _country_names() -> Iterator[tuple[str, str]]:
    for country in countries():
        yield country.name.removeprefix("The "), country.code
        yield country.capital, country.code
    for state in states():
        yield state.name, "US"
    for code, names in SAID.items():
        for name in names:
            yield name, code


@cache
def _neighbours() -> dict[str, frozenset[str]]:
    return {country.code: frozenset(country.neighbours.split(",")) for country in countries()}


_SIGNS = ("US", "County", "Province", "Prefecture")
_UNLISTED = re.compile(r"\bUS\b|\b(?:[Tt]he )?(?:[A-Z][\w’'-]+ )+(?:County|Province|Prefecture)\b|\bCounty [A-Z]\w+")

_DIRECTIONS = "north south east west northern southern eastern western central"
_TIMES = "ancient modern medieval imperial colonial feudal nazi old downtown greater"
_QUALIFIER = re.compile(
    rf"\b(?:{one_of(_DIRECTIONS)}|{one_of(_TIMES)}|President|Governor|Mayor|City|State|[A-Z]\w+n) $", re.I
)
_LEADING_QUALIFIER = re.compile(rf"(?:the )?(?:{one_of(_DIRECTIONS)}|{one_of(_TIMES)}) ", re.I)

_BEFORE_PLACE = one_of(
    "in into from to near at outside inside across throughout around through toward towards between like"
    " visit visits visited visiting leave left leaving reach reached"
)
_HAS_PLACE = one_of(
    "ruler king queen emperor president mayor governor citizens? people population capital city town country state"
    " province north south east west streets history parts?"
)
_AWAITS_PLACE = re.compile(
    rf"\b(?:{_BEFORE_PLACE}|{_HAS_PLACE} of)(?: the)?(?: {one_of(_DIRECTIONS)}| {one_of(_TIMES)})? $", re.I
)
# "Sea of Japan", "Duke of York", "Jack London": part of another name.
_OPENS_LARGER_NAME = re.compile(
    rf"\b{one_of('Sea Gulf Bay Strait Straits Lake Isle Isles Cape University Bank Mall Museum Church Statue')}"
    r" of (?:the )?$"
    rf"|\b{one_of('Constitution Declaration Treaty Peace Battle Siege Fall Convention')} of (?:the )?$"
    rf"|\b{one_of('Bishop Archbishop Duke Earl Prince Princess Duchess')} of $"
    r"|\b(?:[A-Z]\w+|[A-Z]\.) $"
)
# Words that are capitalised at the start of a sentence and not part of a name.
_OPENS_SENTENCE = re.compile(
    one_of(
        "A All An Any Are At Because Before After Being Both Can Citizens Could Did Do Does During Every For From"
        " Had Has Have If In Is It Like Many May Might Most Near No On One Only Part People Should Since Some The"
        " To Today Two Under Unlike Until Visiting Was Were When Where While Will With Would"
    )
    + " $"
)
# "the Detroit River", "the Oakland Raiders": a different name that contains a town's.
_FEATURE = re.compile(
    rf" (?:{one_of('River Lake Sea Ocean Mountains Canal Bay Desert Falls Strait Spring')}|[A-Z]\w+s)\b"
)
_COUNTY = re.compile(r" [Cc]ounty\b")
_ARTICLE = re.compile(r"\b[Tt]he $")
_TAKES_ARTICLE = re.compile(
    r"(?:States|Kingdom|Union|Empire|Republic|Islands|Isles|Emirates|Netherlands|Philippines|Bahamas|Maldives"
    r"|Seychelles|of America|Americas|Congo|Vatican|Gambia|Bronx|Hague|Ukraine|Crimea|Punjab|Yukon|Strip|Bank"
    r"|Reich|of Columbia)$"
)


def find_places(text: str) -> tuple[Entity, ...]:
    """States, provinces and towns that occur as names of their own, sorted and without overlaps."""
    found = [
        Entity(_start(text, phrase), _end(text, phrase), Label.GPE)
        for phrase in find_phrases(text, _book())
        if phrase.form not in _lands() and _is_place(text, phrase)
    ]
    if any(sign in text for sign in _SIGNS) and not text.isupper():
        found += [Entity(match.start(), match.end(), Label.GPE) for match in _UNLISTED.finditer(text)]
    return longest_apart(found)


def is_place_name(name: str) -> bool:
    """Whether a name is that of a known place, with or without an article or a qualifier.

    Example:
        >>> is_place_name("the Southern United States"), is_place_name("Paris Hilton")
        (True, False)
    """
    small = small_letters(name).removeprefix("the ")
    bare = _LEADING_QUALIFIER.sub("", small)
    if small in _small_lands() or bare in _small_lands():
        return False
    return small in _book().forms or bare in _book().forms


def is_small_place(name: str) -> bool:
    """Whether a name is that of any place, including small towns and counties, and not a common word."""
    return name.lower() in small_places() and name.lower() not in common_words()


def holds_place_name(name: str) -> bool:
    """Whether a longer name contains that of a known place: "Wake County NC", "West Texas"."""
    return any(phrase.form not in _lands() for phrase in find_phrases(name, _book()))


def is_personal_name(name: str) -> bool:
    """Whether a place name is also a name of people."""
    return name.lower() in personal_names()


def awaits_place(text: str, start: int) -> bool:
    """Whether the preceding words lead to a place: "in", "from", "near", "visit"."""
    return bool(follows(_AWAITS_PLACE, text, start))


@cache
def _lands() -> frozenset[str]:
    return frozenset(land_names())


@cache
def _small_lands() -> frozenset[str]:
    return frozenset(name.lower() for name in land_names())


@cache
def _book() -> PhraseBook:
    """Places, and regions too, so that no state is found inside the name of a continent."""
    return phrase_book((*land_names(), *place_names()))


def _is_place(text: str, phrase: Phrase) -> bool:
    written = text[phrase.start : phrase.end]
    if written == written.lower() or _in_larger_name(text, phrase):
        return False
    if phrase.form.lower() in common_words() or is_personal_name(phrase.form):
        return awaits_place(text, phrase.start)
    return True


def _in_larger_name(text: str, phrase: Phrase) -> bool:
    """Whether the name is only part of another: "Sea of Japan", "Jack London", "the Detroit River"."""
    if follows(_ARTICLE, text, phrase.start) and not _TAKES_ARTICLE.search(phrase.form):
        return bool(_FEATURE.match(text, phrase.end))
    if not follows(_OPENS_LARGER_NAME, text, phrase.start) or follows(_QUALIFIER, text, phrase.start):
        return False
    return not _OPENS_SENTENCE.fullmatch(text, 0, phrase.start)


def _start(text: str, phrase: Phrase) -> int:
    """Where the place begins, including the article of a name that takes one ("the United States")."""
    article = follows(_ARTICLE, text, phrase.start)
    return article.start() if article and _TAKES_ARTICLE.search(phrase.form) else phrase.start


def _end(text: str, phrase: Phrase) -> int:
    """Where the place ends, including "county" and the final period of an abbreviation ("U.S.")."""
    if _COUNTY.match(text, phrase.end):
        return phrase.end + len(" county")
    pointed = "." in phrase.form[-2:] and text[phrase.end : phrase.end + 1] == "."
    return phrase.end + pointed
