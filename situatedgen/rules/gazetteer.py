"""The names of states, provinces, towns and lands, read when first asked for."""

import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import takewhile

from situatedgen.resources import read_lines
from situatedgen.rules.geonames import counties, countries, states, towns

# Where English is spoken, smaller towns are household names.
ENGLISH_SPEAKING = frozenset({"AU", "CA", "GB", "IE", "NZ", "US"})
MIN_POPULATION = 500_000
MIN_POPULATION_ENGLISH = 200_000
# Shorter names of far towns ("Ho", "Man", "Ube") are words of English more often than towns.
MIN_LETTERS = 5


@cache
def place_names() -> tuple[str, ...]:
    """Every state and province and every great town, as it is spelled and without accents, sorted."""
    names = {*read_lines("places.txt"), *_countries(), *(state.name for state in states()), *_greattowns()}
    return tuple(sorted(names | {_plain(name) for name in names}))


@cache
def land_names() -> tuple[str, ...]:
    """Continents, seas and other lands and waters that are no states."""
    return read_lines("regions.txt")


@cache
def small_places() -> frozenset[str]:
    """Every place there is a name for, small towns and counties too, in small letters without accents."""
    small = (town.name for town in towns())
    return frozenset(_plain(name).lower() for name in (*place_names(), *small, *counties()))


@cache
def common_words() -> frozenset[str]:
    """The names of places that are words of everyday English too, in small letters."""
    return frozenset(read_lines("common_words.txt"))


@cache
def personal_names() -> frozenset[str]:
    """The names of places that people bear, too, in small letters."""
    return frozenset(name.lower() for name in read_lines("personal_names.txt"))


def _countries() -> Iterator[str]:
    for country in countries():
        yield country.name.removeprefix("The ")


def _greattowns() -> Iterator[str]:
    for town in takewhile(lambda town: town.population >= MIN_POPULATION_ENGLISH, towns()):
        floor = MIN_POPULATION_ENGLISH if town.country in ENGLISH_SPEAKING else MIN_POPULATION
        if town.population >= floor and len(town.name) >= MIN_LETTERS:
            yield town.name.removeprefix("The ").removeprefix("City of ")


def _plain(name: str) -> str:
    """The name as people type it, without accents."""
    if name.isascii():
        return name
    letters = unicodedata.normalize("NFKD", name)
    return "".join(letter for letter in letters if not unicodedata.combining(letter))
