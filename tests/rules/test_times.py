"""Dates, times of the day, stretches of time and happenings are found by their words."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import cases
from situatedgen.rules.times import FINDERS, find_times


def found(text):
    return [(text[entity.start : entity.end], entity.label.value) for entity in find_times(text)]


@pytest.mark.parametrize(("text", "times"), cases("times", "dates", "text", "times"))
def test_dates(text, times):
    assert found(text) == [(time, "DATE") for time in times]


@pytest.mark.parametrize(("text", "times"), cases("times", "seasons", "text", "times"))
def test_seasons(text, times):
    assert [time for time in found(text) if time[1] == "DATE"] == [(time, "DATE") for time in times]


@pytest.mark.parametrize(("text", "times"), cases("times", "durations", "text", "times"))
def test_durations(text, times):
    assert found(text) == [(time, label) for time, label in times]


@pytest.mark.parametrize(("text", "times"), cases("times", "hours", "text", "times"))
def test_hours(text, times):
    assert found(text) == [(time, "TIME") for time in times]


@pytest.mark.parametrize(("text", "events"), cases("times", "events", "text", "events"))
def test_events(text, events):
    assert [time for time in found(text) if time[1] == "EVENT"] == [(event, "EVENT") for event in events]


WORDS = (
    "the a in of May may March 1960s 24 hours every day night winter spring World War II Battle Holi’s Super Bowl"
    " 9PM 10 A.M. century 20th year-old and , . – İ"
).split()


@given(st.lists(st.sampled_from(WORDS)).map(" ".join) | st.text())
def test_finds_are_sorted_apart_and_inside_the_text(text):
    times = find_times(text)
    spans = [(0, 0), *((entity.start, entity.end) for entity in times), (len(text), len(text))]
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
    assert all(entity.start < entity.end for entity in times)


@given(st.lists(st.sampled_from([word for words, _ in FINDERS for word in sorted(words)])).map(" ".join))
def test_no_finder_needs_a_word_that_is_not_declared(text):
    """A finder that is asked without any of its words finds nothing, so that leaving it out loses nothing."""
    words = set(text.split())
    for needed, find in FINDERS:
        if needed.isdisjoint(words) and not any(letter.isdigit() for letter in text):
            assert list(find(text)) == []
