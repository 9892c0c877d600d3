"""Kinds of times, and what lies in what."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from situatedgen.models.wordnet import kind_of
from situatedgen.screening import periods, regions
from situatedgen.screening.facts import Content, same_fact
from situatedgen.screening.kinds import distance
from situatedgen.screening.reading import Named, Reading
from situatedgen.screening.sums import is_wrong_sum
from situatedgen.vocabulary import Label

PLACES = {
    "the United States": ("NA", "US"),
    "New York City": ("NA", "US", "NY", "5128581"),
    "Peru": ("SA", "PE"),
    "Nowhere at all": None,
}


@pytest.mark.parametrize(("name", "region"), PLACES.items())
def test_a_place_is_found_in_the_gazetteer(name: str, region: tuple[str, ...] | None) -> None:
    found = regions.regions_of(Reading(name, (), (Named(0, len(name), Label.GPE),)))
    assert found == ((region,) if region else ())


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("the southern hemisphere", "hemisphere"),
        ("the west coast of America", "coast"),
        ("the Bay of Bengal", "sea"),
        ("Miami-Dade County", "county"),
        ("Peru", "land"),
    ],
)
def test_lands_are_of_several_sizes(name: str, kind: str) -> None:
    assert regions.kind_of_land(name) == kind


@pytest.mark.parametrize(
    ("name", "expected"),
    [("the United Kingdom", True), ("Ancient Egypt", True), ("Africa", True), ("Texas", False), ("Lima", False)],
)
def test_a_country_is_known_by_its_name(name: str, expected: bool) -> None:
    assert regions.is_country(name) == expected


SPANS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800}


@given(
    st.sampled_from(sorted(SPANS)), st.sampled_from(sorted(SPANS)), st.integers(1, 400), st.sampled_from([1, 2, 0.5])
)
def test_a_sum_is_right_when_both_spans_are_as_long(small: str, large: str, count: int, slip: float) -> None:
    assume(SPANS[small] < SPANS[large])
    said = count * SPANS[large] // SPANS[small]
    assert is_wrong_sum(f"There are {int(said * slip):,} {small}s in {count} {large}s.") == (slip != 1)


@pytest.mark.parametrize(
    "text", ["There are four seasons in a year.", "A decade is many years.", "There are 52 Wednesdays in a year."]
)
def test_what_is_no_sum_is_not_a_wrong_one(text: str) -> None:
    assert not is_wrong_sum(text)


REGIONS = st.lists(st.lists(st.sampled_from("ab"), min_size=1, max_size=3).map(tuple), max_size=3).map(tuple)


@given(REGIONS, REGIONS)
def test_lying_within_does_not_depend_on_the_side(left: regions.Region, right: regions.Region) -> None:
    assert regions.lie_within(left, right) == regions.lie_within(right, left)
    assert regions.lie_within(left, left) == bool(left)


@pytest.mark.parametrize(
    ("text", "label", "kind", "period"),
    [
        ("1969", Label.DATE, "era", ("20", "6", "1969")),
        ("the 1960s", Label.DATE, "era", ("20", "6")),
        ("the 20th century", Label.DATE, "era", ("20",)),
        ("late March", Label.DATE, "month", ("spring", "march")),
        ("December 25", Label.DATE, "month", ("winter", "december", "25")),
        ("the fall", Label.DATE, "season", ("autumn",)),
        ("every summer", Label.DATE, "often", ("summer",)),
        ("the Bronze Age", Label.DATE, "era", ()),
        ("two weeks", Label.DATE, "span", ()),
        ("noon", Label.TIME, "hour", ()),
        ("the Vietnam War", Label.EVENT, "war", ()),
        ("the 1998 Winter Olympics", Label.EVENT, "games", ("20", "9", "1998")),
        ("Easter", Label.EVENT, "feast", ()),
    ],
)
def test_a_time_has_a_kind_and_a_place_in_history_or_in_the_year(
    text: str, label: Label, kind: str, period: tuple[str, ...]
) -> None:
    assert (periods.kind_of_time(text, label), periods.period_of(text)) == (kind, period)


def test_a_month_lies_in_its_season_and_a_year_in_its_decade() -> None:
    of = periods.period_of
    assert periods.lie_within((of("January"),), (of("winter"),))
    assert periods.lie_within((of("the 1960s"),), (of("1969"),))
    assert not periods.lie_within((of("July"),), (of("winter"),))
    assert not periods.lie_within((), (of("winter"),))


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ({"camel"}, {"camel"}, True),  # the same of two places
        ({"camel"}, {"elk"}, False),
        ({"earth", "axis", "day"}, {"earth", "axis"}, True),  # two thirds
        (set(), set(), False),  # nothing is spoken of but places
    ],
)
def test_what_speaks_of_the_same_is_one_fact(left: set[str], right: set[str], expected: bool) -> None:
    one, other = (Content(frozenset(words), frozenset(), frozenset()) for words in (left, right))
    assert same_fact(one, other) == same_fact(other, one) == expected


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [("person", "person", 0), ("place", "building", 1), ("", "person", 1), ("", "", 1), ("animal", "building", 2)],
)
def test_kinds_are_the_same_or_close_or_far(left: str, right: str, expected: int) -> None:
    assert distance(left, right) == distance(right, left) == expected


@pytest.mark.parametrize(
    ("noun", "above"),
    [("dog", "animal"), ("city", "location"), ("war", "event"), ("Christmas", "time_period"), ("president", "person")],
)
def test_wordnet_says_what_a_noun_names(noun: str, above: str) -> None:
    assert above in kind_of(noun).split("/")


@pytest.mark.parametrize("noun", ["xyzzy", "", "\x00", "dog canine"])
def test_wordnet_is_silent_on_what_is_no_noun(noun: str) -> None:
    assert kind_of(noun) == ""
