"""Whether one place lies in another, by the gazetteer."""

import re
from functools import cache
from itertools import pairwise

from situatedgen.rules.geonames import Town, continents, countries, states, towns
from situatedgen.rules.naming import name_form
from situatedgen.rules.nations import SAID
from situatedgen.screening.reading import Reading
from situatedgen.vocabulary import Label

Region = tuple[str, ...]
"""Continent, country, part of it, town: as far as a place goes down."""
PARTS = ("", "eastern", "western", "northern", "southern", "central")
OPENING = 4
"""Letters at the start of a name that its other forms share."""
_KINDS = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        ("hemisphere", r"hemispheres?\b|\bequator\b|\btropics?\b"),
        ("coast", r"\bcoasts?\b|\bshores?\b"),
        ("sea", r"\b(?:oceans?|seas?|gulf|atlantic|pacific|mediterranean|caribbean|baltic|arctic|bay|lake|river)\b"),
        ("county", r"\bcounty\b|\bdistrict\b|\bborough\b"),
    )
)


def regions_of(reading: Reading) -> tuple[Region, ...]:
    """Where the places of a statement lie, each once; those that no gazetteer knows are left out."""
    names = (reading.written(named) for named in reading.keywords if named.is_place or named.label is Label.LOC)
    return tuple(sorted({region for name in names if (region := _region(name)) is not None}))


def is_country(name: str) -> bool:
    """Whether a name is that of a country or a continent.

    Example:
        >>> is_country("Peru"), is_country("Lima")
        (True, False)
    """
    region = _region(name.removeprefix("Ancient ").removeprefix("ancient "))
    return region is not None and len(region) <= len(("continent", "country"))


def is_turned_round(reading: Reading) -> bool:
    """Whether a place stands before one that lies in it: "in England, London"."""
    places = [named for named in reading.keywords if named.is_place or named.label is Label.LOC]
    joined = ((a, b) for a, b in pairwise(places) if reading.text[a.end : b.start].strip() in ("", ","))
    found = ((_region(reading.written(one)), _region(reading.written(other))) for one, other in joined)
    return any(outer and inner and len(outer) < len(inner) and inner[: len(outer)] == outer for outer, inner in found)


def kind_of_land(name: str) -> str:
    """How large a thing a named place is: half of the Earth, a coast, a sea, a county, or a land of any size.

    Example:
        >>> kind_of_land("the northern hemisphere"), kind_of_land("the Atlantic"), kind_of_land("Peru")
        ('hemisphere', 'sea', 'land')
    """
    return next((kind for kind, pattern in _KINDS if pattern.search(name)), "land")


def lie_within(left: tuple[Region, ...], right: tuple[Region, ...]) -> bool:
    """A place of one statement lies in a place of the other: "New York City", "the United States"."""
    return any(_is_within(one, other) for one in left for other in right)


def _is_within(one: Region, other: Region) -> bool:
    shorter, longer = sorted((one, other), key=len)
    return longer[: len(shorter)] == shorter


@cache
def _region(name: str) -> Region | None:
    """Where a named place lies; of several of a name the country stands, then the state, then the largest town."""
    form = name_form(name)
    return _lands().get(form) or next(
        (region for found, region in _towns(_opening(name)) if form in (_form(found), _form(_bare(found)))), None
    )


@cache
def _lands() -> dict[str, Region]:
    found: dict[str, Region] = {}
    parts = ((f"{part} {continent.name}", (continent.code,)) for continent in continents() for part in PARTS)
    nations = ((country.name, _country(country.code)) for country in countries())
    said = ((name, _country(code)) for code, names in SAID.items() for name in names)
    states_of_america = ((state.name, (*_country("US"), state.code)) for state in states())
    for name, region in (*nations, *said, *states_of_america, *parts):
        found.setdefault(name_form(name), region)
    return found


@cache
def _country(code: str) -> Region:
    return next((continent.code, code) for continent in continents() if code in continent.countries)


@cache
def _towns(opening: str) -> list[tuple[str, Region]]:
    """The towns whose names open so, the largest first."""
    found = _openings().get(opening, ())
    return [(town.name, (*_country(town.country), town.part, town.number)) for town in found]


@cache
def _openings() -> dict[str, list[Town]]:
    """Towns by how their names open: the forms of 34,000 names take longer than all checks."""
    found: dict[str, list[Town]] = {}
    for town in towns():
        found.setdefault(_opening(town.name), []).append(town)
    return found


def _opening(name: str) -> str:
    return name.casefold().removeprefix("the ")[:OPENING]


def _bare(town: str) -> str:
    return town.removesuffix(" City")


_form = cache(name_form)
