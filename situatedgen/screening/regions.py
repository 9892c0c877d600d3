"""Whether one place lies in another, by the gazetteer."""

from functools import cache

from situatedgen.rules.geonames import Town, countries, states, towns
from situatedgen.rules.naming import name_form
from situatedgen.rules.nations import SAID
from situatedgen.screening.reading import Reading

Region = tuple[str, ...]
"""Country, part of it, town: as far as a place goes down."""
OPENING = 4
"""Letters at the start of a name that its other forms share."""


def regions_of(reading: Reading) -> tuple[Region, ...]:
    """Where the places of a statement lie, each once; those that no gazetteer knows are left out."""
    names = (reading.written(named) for named in reading.keywords if named.is_place)
    return tuple(sorted({region for name in names if (region := _region(name)) is not None}))


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
        (region for town, region in _towns(_opening(name)) if form in (_form(town), _form(_bare(town)))), None
    )


@cache
def _lands() -> dict[str, Region]:
    found: dict[str, Region] = {}
    nations = ((country.name, (country.code,)) for country in countries())
    said = ((name, (code,)) for code, names in SAID.items() for name in names)
    parts = ((state.name, ("US", state.code)) for state in states())
    for name, region in (*nations, *said, *parts):
        found.setdefault(name_form(name), region)
    return found


@cache
def _towns(opening: str) -> list[tuple[str, Region]]:
    """The towns whose names open so, the largest first."""
    return [(town.name, (town.country, town.part, town.number)) for town in _openings().get(opening, ())]


@cache
def _openings() -> dict[str, list[Town]]:
    """Every town by how its name opens, the largest first: the forms of 34,000 names take longer than all checks."""
    found: dict[str, list[Town]] = {}
    for town in towns():
        found.setdefault(_opening(town.name), []).append(town)
    return found


def _opening(name: str) -> str:
    return name.casefold().removeprefix("the ")[:OPENING]


def _bare(town: str) -> str:
    return town.removesuffix(" City")


_form = cache(name_form)
