"""Towns, countries, continents, states and counties as GeoNames has them, read when first asked for."""

from collections.abc import Iterator
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


def towns() -> Iterator[Town]:
    """The towns of at least 15,000 people, the largest first, each made when it is asked for."""
    return map(town, town_lines())


def town(line: str) -> Town:
    """The town of a line."""
    name, country, part, number, people = line.split("\t")
    return Town(name, country, part, number, int(people))


@cache
def town_lines() -> tuple[str, ...]:
    """A line for each town, its name first, the largest first: most are asked for no more than their names."""
    return read_lines("geonames/towns.tsv")


def town_name(line: str) -> str:
    """The name of the town of a line."""
    return line.partition("\t")[0]


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
