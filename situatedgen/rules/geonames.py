"""Towns, countries, continents, states and counties as GeoNames has them, read when first asked for."""

from functools import cache
from typing import NamedTuple

from situatedgen.resources import read_lines


class Town(NamedTuple):
    """A town: the codes of its country and of the part of it, and its number in GeoNames."""

    name: str
    country: str
    part: str
    number: str
    population: int


class Country(NamedTuple):
    """A country: its neighbours are codes, with commas between them."""

    name: str
    capital: str
    neighbours: str
    code: str


class Continent(NamedTuple):
    """A continent, and the codes of its countries."""

    name: str
    code: str
    countries: frozenset[str]


class State(NamedTuple):
    """A state of the United States."""

    name: str
    code: str


@cache
def towns() -> tuple[Town, ...]:
    """The towns of at least 15,000 people, the largest first."""
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
