"""COVERAGE and MATCH: the paper's worked example, laws, and what they cannot be fooled by."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from situatedgen.evaluation.keywords import Grouping, groupings, sentences
from situatedgen.evaluation.predictions import Example
from situatedgen.models.lemmas import Lemmatiser

pytestmark = pytest.mark.weights

JULY = Example(
    "july",
    ("July", "China", "winter", "Australia", "summer", "July"),
    (0, 0, 1, 1, 0, 1),
    ("July is summer in China.", "July is winter in Australia."),
)
CITIES = Example(
    "cities",
    ("Kansas", "steakhouses", "New York City", "city", "pizzerias"),
    (1, 1, 0, 1, 0),
    ("New York City is known for its pizzerias.", "Kansas city is known for its steakhouses."),
)
CAPITAL = Example(
    "capital",
    ("museums", "Washington", "D.C.", "Vice Media"),
    (0, 0, 0, 1),
    ("Many museums are in Washington, D.C.", "Vice Media is a company."),
)
EVERYTHING = ", ".join(JULY.keywords)
LEMMATISER = Lemmatiser()


def grouped(example: Example, text: str) -> tuple[float, float]:
    (found,) = groupings([example], [text], LEMMATISER)
    return found.coverage, found.match


def test_lemmas_are_spacys_own_whatever_came_before() -> None:
    """Of "mass" no "s" is cut, and helpers and pronouns have their base forms, also when the like was seen before."""
    lemmatiser = Lemmatiser()
    lemmatiser.learn(["Others weren't a class of them."])
    found = lemmatiser["Others weren't a mass of them."].lemmas
    assert found == ("other", "be", "not", "a", "mass", "of", "they", ".")


def test_the_papers_example_gives_four_of_six() -> None:
    """C.2: China and Australia change places, July is right twice, winter and summer once each: 4/6."""
    assert grouped(JULY, "July is summer in Australia. July is winter in China.") == (1.0, 4 / 6)


@pytest.mark.parametrize(
    ("example", "text", "coverage", "match"),
    [
        (JULY, "July is summer in China. July is winter in Australia.", 1, 1),  # the reference
        (JULY, "July is winter in Australia. July is summer in China.", 1, 1),  # its mirror image
        (JULY, "July is summer in China and winter in Australia.", 1, 3 / 6),  # one sentence: July once, two more
        (JULY, "July is summer in China.", 4 / 6, 3 / 6),  # one sentence; July stands for both in COVERAGE
        (JULY, "In JULY, summers come to china. Julys are winters in Australia.", 1, 1),  # case and number
        (JULY, "July! Summer! China! Winter! Australia!", 1, 1 / 6 + 1 / 6),  # only two sentences count for MATCH
        (JULY, "Julian Summerhill Chinatown winterly Australian.", 0, 0),  # parts of words are no keywords
        (CITIES, "Kansas city has steakhouses. New York City's pizzerias are known.", 1, 1),  # possessive
        (CAPITAL, CAPITAL.reference, 1, 1),  # a sentence of the reference is one sentence
        (JULY, f"So {EVERYTHING}. Also {EVERYTHING}.", 1, 4 / 6),  # no grouping: July twice, and the two of one side
        (CITIES, "A New York steakhouse is in Kansas. The city has a pizzeria.", 4 / 5, 3 / 5),  # half a name
    ],
)
def test_keywords_are_found_and_grouped(example: Example, text: str, coverage: float, match: float) -> None:
    assert grouped(example, text) == (pytest.approx(coverage), pytest.approx(match))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is cold. It is warm.", ["It is cold.", "It is warm."]),
        ("it is cold. it is warm.", ["it is cold.", "it is warm."]),  # no capitals
        ("Mr. Smith lives in the U.S. in winter.", ["Mr. Smith lives in the U.S. in winter."]),  # abbreviations
        ("He left Washington D.C. The end.", ["He left Washington D.C.", "The end."]),  # one that ends a sentence
        ("The Notorious B.I.G. rapped! Why?", ["The Notorious B.I.G. rapped!", "Why?"]),
    ],
)
def test_sentences_are_split(text: str, expected: list[str]) -> None:
    assert list(sentences(text)) == expected


places = st.lists(st.integers(0, 1), min_size=2, max_size=8)
stands = st.frozensets(st.integers(0, 1))


@given(st.data(), places)
def test_match_knows_no_order(data: st.DataObject, truth: list[int]) -> None:
    found = [data.draw(stands) for _ in truth]
    belongs = [data.draw(stands) | {place} for place in truth]
    one = Grouping(tuple(truth), tuple(found), tuple(belongs), tuple(map(bool, found)))
    turned = tuple(frozenset(1 - place for place in each) for each in found)
    assert Grouping(one.places, turned, one.in_reference, one.found).match == one.match
    assert 0 <= one.match <= one.coverage


@settings(max_examples=30)
@given(st.permutations(range(6)))
def test_the_order_of_keywords_does_not_matter(order: list[int]) -> None:
    shuffled = Example(
        "july",
        tuple(JULY.keywords[number] for number in order),
        tuple(JULY.places[number] for number in order),
        JULY.statements,
    )
    text = "July is summer in Australia. July is winter in China."
    assert grouped(shuffled, text) == grouped(JULY, text)
