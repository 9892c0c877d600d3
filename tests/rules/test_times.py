"""Dates, times of the day, stretches of time and happenings are found by their words."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from situatedgen.rules.times import FINDERS, find_times


def found(text):
    return [(text[entity.start : entity.end], entity.label.value) for entity in find_times(text)]


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("May may be warm in May.", ["May", "May"]),  # the month twice, the modal not
        ("May you live long.", []),  # a wish
        ("March is in spring.", ["March", "spring"]),  # a month that opens its sentence
        ("It opened on May 20, 2008.", ["May 20, 2008"]),  # a whole date
        ("It fell in late March 1941.", ["late March 1941"]),  # a phase of a month
        ("The 4th of June is a day.", ["The 4th of June", "day"]),  # the day first
        ("Friday the 13th and every Sunday", ["Friday the 13th", "every Sunday"]),
        ("The 1960s and the early 90's", ["The 1960s", "the early 90's"]),  # decades
        ("That '70s Show aired.", []),  # a title
        ("in the 20th century", ["the 20th century"]),
        ("It began in 1999.", ["1999"]),
        ("from 2010 through 2015", ["2010", "2015"]),  # both ends
        ("In 2000 people died.", []),  # a count
        ("values between 1 and 1000", []),  # a number
        ("the Qin dynasty", ["the Qin dynasty"]),
        ("This period was the Middle Ages.", ["the Middle Ages"]),  # "This" is no name of a period
        ("Duck Dynasty aired.", []),  # a title
        ("see you tomorrow", ["tomorrow"]),
    ],
)
def test_dates(text, times):
    assert found(text) == [(time, "DATE") for time in times]


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("Birds fly south in the winter.", ["the winter"]),
        ("Summer is warm.", ["Summer"]),
        ("Leaves drop in the fall.", ["the fall"]),
        ("Leaves fall from trees.", []),  # a verb
        ("the fall of an apple", []),  # a movement
        ("The spring in a clock is a coil.", []),  # a coil
        ("fall, winter and spring", ["winter", "spring"]),  # nothing tells the first from the verb
        ("The winter solstice is short.", ["The winter solstice"]),  # a day of its own
        ("a winter coat", []),  # a garment
        ("the Summer Olympics", []),  # no season, and small print of the calendar all the same
    ],
)
def test_seasons(text, times):
    assert [time for time in found(text) if time[1] == "DATE"] == [(time, "DATE") for time in times]


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("It takes 24 hours.", [("24 hours", "TIME")]),
        ("35 km in 5 hr", [("5 hr", "TIME")]),
        ("50 s at 2 m/s", [("50 s", "TIME")]),  # a symbol, and one inside a speed
        ("1,440 minutes", [("1,440 minutes", "TIME")]),
        ("8 to 9 hours of sleep", [("8 to 9 hours", "TIME")]),
        ("twenty-four hours", [("twenty-four hours", "TIME")]),
        ("more than 3 million years ago", [("more than 3 million years ago", "DATE")]),
        ("millions of years", [("millions of years", "DATE")]),
        ("A day is an hour of a year.", [("day", "DATE"), ("hour", "TIME"), ("a year", "DATE")]),  # bare units
        ("It works 14 hours a day.", [("14 hours", "TIME"), ("a day", "DATE")]),  # a rate
        ("It grows 31 cm a day.", [("a day", "DATE")]),  # a rate
        ("It was a week.", [("week", "DATE")]),  # no plural before it
        ("A lunar month is about 29.5 days.", [("A lunar month", "DATE"), ("about 29.5 days", "DATE")]),
        ("a six-year-old boy", [("six-year-old", "DATE")]),
        ("He waited for hours every day.", [("hours", "TIME"), ("every day", "DATE")]),
        ("A second language", []),  # an order
        ("two light years and a light-year", []),  # lengths
        ("a day-night cycle", []),  # half a word
        ("the time of his life", []),  # no stretch at all
        ("in a while", []),  # nor this
    ],
)
def test_durations(text, times):
    assert found(text) == times


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("It is 9PM.", ["9PM"]),
        ("at 10 A.M. or 2:30 am", ["10 A.M.", "2:30 am"]),
        ("at noon and at midnight", ["noon", "midnight"]),
        ("in the morning", ["the morning"]),
        ("Owls hunt at night.", ["night"]),
        ("the night sky", []),  # a thing
        ("a morning glory", []),  # a flower
        ("One Thousand and One Nights", []),  # a title
        ("the dawn of a new age", []),  # a beginning
    ],
)
def test_hours(text, times):
    assert found(text) == [(time, "TIME") for time in times]


@pytest.mark.parametrize(
    ("text", "events"),
    [
        ("In Holi people throw colors.", ["Holi"]),
        ("on New Year's Eve", ["New Year's Eve"]),
        ("during the Boxer Rebellion", ["the Boxer Rebellion"]),
        ("Super Bowl XLIV.", ["Super Bowl XLIV"]),  # without the full stop
        ("Did World War II end?", ["World War II"]),  # without the sentence's opening word
        ("the Battle of Okinawa the army lost", ["the Battle of Okinawa"]),
        ("the Spanish–American War", ["the Spanish–American War"]),
        ("the treaty of Versailles", ["the treaty of Versailles"]),
        ("a 9/11 memorial", ["9/11"]),  # a name without letters
        ("Star Wars is a film.", []),  # a title
        ("The war ended.", []),  # any war
        ("the Easter Bunny", []),  # a hare
        ("a new year", []),  # any year, for the lists
    ],
)
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
