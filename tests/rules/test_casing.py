"""Names in small letters get their capitals back, common words keep their small ones."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from situatedgen.rules.text import true_case


@pytest.mark.parametrize(
    ("text", "cased"),
    [
        ("france", "France"),  # a country
        ("new york", "New York"),  # a name of two words
        ("the united states", "the United States"),  # the article stays small
        ("rio de janeiro", "Rio de Janeiro"),  # small words inside a name stay small
        ("bogota", "Bogota"),  # typed without its accent
        ("são paulo", "São Paulo"),  # typed with it
        ("washington d.c.", "Washington D.C."),  # an abbreviation after a name
        ("usa", "USA"),  # an abbreviation alone
        ("michigan", "Michigan"),  # a US state
        ("christmas", "Christmas"),  # a holiday
        ("new year's eve", "New Year's Eve"),  # an apostrophe
        ("new year’s eve", "New Year’s Eve"),  # a curly one
        ("july", "July"),  # a month
        ("on tuesday", "on Tuesday"),  # a weekday
        ("french fries", "French fries"),  # a people
        ("south america", "South America"),  # a continent
        ("world war ii", "World War II"),  # an event
        ("georgia", "Georgia"),  # a state and a person, never a common word
        ("jordan", "Jordan"),  # likewise
    ],
)
def test_names_get_their_capitals(text, cased):
    assert true_case(text) == cased


@pytest.mark.parametrize(
    "text",
    [
        "roast turkey",  # a bird
        "china",  # dishes, or the country: not to be told from the word alone
        "china shop",  # dishes
        "in china cabinets",  # dishes, though "in" stands before
        "march with the band",  # a verb
        "it may be warm",  # a modal
        "reading",  # a hobby
        "nice",  # an adjective
        "mobile phone",  # an adjective
        "bath",  # a tub
        "orange",  # a fruit
        "family reunion",  # an island in French only
        "male and female",  # a capital with an accent
        "tell us",  # a pronoun
        "a new year",  # any year
        "how far east or west",  # directions
        "the west coast of Mexico",  # a coast, not the Coast
        "earthworm in newyork",  # names inside words
    ],
)
def test_common_words_stay_small(text):
    assert true_case(text) == text


@pytest.mark.parametrize(
    ("text", "cased"),
    [
        ("it may be warm in may", "it may be warm in May"),  # the modal, then the month
        ("may 5", "May 5"),  # a day follows
        ("march the 14th", "March the 14th"),  # a day with its article
        ("the first of may", "the first of May"),  # a day before
        ("from january through march.", "from January through March."),  # a range
        ("in china", "in China"),  # a place position
        ("in turkey, people", "in Turkey, people"),  # the same before a comma
        ("in phoenix", "in Phoenix"),  # the town, not the bird
    ],
)
def test_guarded_words_are_names_where_their_neighbours_say_so(text, cased):
    assert true_case(text) == cased


@pytest.mark.parametrize("text", ["NEW YORK", "McDonald's", "İzmir", "iPhone USA"])
def test_no_capital_is_touched(text):
    assert true_case(text) == text


WORDS = ["new", "york", "may", "in", "china", "İzmir", "United", "states", "’", "1960s", ".", "ǅ", "ß"]


@given(st.lists(st.sampled_from(WORDS)).map(" ".join) | st.text())
def test_only_small_letters_change_and_only_to_their_capitals(text):
    cased = true_case(text)
    assert len(cased) == len(text)
    assert all(new in (old, old.upper()) for old, new in zip(text, cased, strict=True))


@given(st.lists(st.sampled_from(WORDS)).map(" ".join))
def test_casing_twice_is_casing_once(text):
    assert true_case(true_case(text)) == true_case(text)


def test_importing_the_rule_reads_no_gazetteer():
    code = "import situatedgen.rules.text, situatedgen.rules.places as g; print(g.place_names.cache_info().currsize)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0"
