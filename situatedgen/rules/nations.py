"""Which country a place is in, where its name leaves no doubt; and which countries border on which."""

from collections.abc import Iterator
from functools import cache

from situatedgen.rules.geonames import countries, states

# What people say for a country, where a gazetteer has its full name only, and the parts of the United Kingdom. None
# ends in a full stop, which would be the sentence's own at its end.
SAID = {
    "US": ("America", "US", "USA", "United States of America"),
    "GB": ("Britain", "England", "Great Britain", "Northern Ireland", "Scotland", "UK", "Wales"),
    "NL": ("Holland",),
    "CZ": ("Czech Republic",),
    "RU": ("Soviet Union", "USSR"),
    "MM": ("Burma",),
}
# These are also something else: a state, a province, people, other towns.
DOUBTFUL = frozenset({"Georgia", "Jersey", "Washington", "San Jose", "Georgetown", "Victoria", "Kingston", "Guinea"})
SHORT = ("US", "UK")


@cache
def nations() -> dict[str, str]:
    """The country of every name that stands for one country, a capital, or a state of the United States."""
    found: dict[str, str] = {}
    for name, country in _named():
        found[name] = country if found.get(name, country) == country else ""
    return {name: country for name, country in found.items() if country and name not in DOUBTFUL}


def is_elsewhere(country: str, other: str) -> bool:
    """Whether two countries are different and have no border in common: much that is true of one side is of both."""
    return country != other and other not in _neighbours().get(country, ()) and country not in _neighbours()[other]


def takes_article(name: str) -> bool:
    """Whether the name of a place needs `the` before it.

    Example:
        >>> takes_article("United States"), takes_article("Peru")
        (True, False)
    """
    return name.startswith(("United ", "Soviet ", "Czech ", *SHORT)) or name.endswith(
        ("Bahamas", "Maldives", "Netherlands", "Philippines", "Republic", "Islands")
    )


def _named() -> Iterator[tuple[str, str]]:
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
