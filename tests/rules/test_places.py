"""States, provinces and towns are found by name, and a model's finds are weighed against the rules'."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from situatedgen.records import Entity
from situatedgen.rules.entities import reconcile
from situatedgen.rules.places import find_places, is_place_name
from situatedgen.rules.spans import longest_apart, overlap
from situatedgen.vocabulary import Label


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("He left France for Osaka.", ["France", "Osaka"]),  # a state and a town
        ("They live in the United States.", ["the United States"]),  # with its article
        ("the U.S. Congress and the UK", ["U.S.", "UK"]),  # abbreviations, without article, with the last point
        ("Photios I of Constantinople", ["Constantinople"]),  # a town of old
        ("visiting A Coruña", ["A Coruña"]),  # an article of another tongue
        ("people of the Kanagawa Prefecture", ["the Kanagawa Prefecture"]),  # by its kind
        ("the zoo of San Diego county", ["San Diego county"]),  # its kind in small letters
        ("Jack London lived in London.", ["London"]),  # a writer, then the town
        ("Turkey is eaten; he visited Turkey.", ["Turkey"]),  # a bird, then the country
        ("Jordan went to Jordan.", ["Jordan"]),  # a person, then the country
        ("the Sea of Japan", []),  # a sea
        ("in North America and New England", []),  # lands, not the states inside their names
        ("the Detroit River", []),  # a river
        ("china plates in small letters", []),  # dishes
        ("Tell us about it.", []),  # a pronoun
    ],
)
def test_places(text, places):
    assert [text[place.start : place.end] for place in find_places(text)] == places


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("Michigan", True),
        ("the Netherlands", True),  # with an article
        ("Ancient Rome", True),  # with a qualifier
        ("South America", False),  # a continent, though America is a name of a state
        ("Ancient Europe", False),  # another, long ago
        ("Paris Hilton", False),
    ],
)
def test_place_names(name, known):
    assert is_place_name(name) is known


def entities(text, *named):
    return [Entity(text.index(part), text.index(part) + len(part), Label(label)) for part, label in named]


def test_of_entities_that_overlap_the_longest_stands():
    found = [Entity(0, 4, Label.GPE), Entity(2, 9, Label.DATE), Entity(9, 11, Label.GPE)]
    assert longest_apart(found) == (Entity(2, 9, Label.DATE), Entity(9, 11, Label.GPE))


@pytest.mark.parametrize(
    ("text", "model", "rules", "together"),
    [
        ("Paris Hilton", [("Paris Hilton", "PERSON")], [("Paris", "GPE")], [("Paris Hilton", "PERSON")]),
        ("Jordan ran.", [("Jordan", "PERSON")], [("Jordan", "GPE")], [("Jordan", "PERSON")]),  # one may be called so
        ("Cancun is hot.", [("Cancun", "PERSON")], [("Cancun", "GPE")], [("Cancun", "GPE")]),  # nobody is
        ("He is in Bern.", [("Bern", "ORG")], [], [("Bern", "GPE")]),  # a place under another label
        ("the London Zoo", [("the London Zoo", "ORG")], [("London", "GPE")], [("the London Zoo", "ORG")]),
        (
            "join the United States Navy",
            [("the United States Navy", "ORG")],
            [("the United States", "GPE")],
            [("the United States", "GPE")],
        ),  # the state whose navy it is
        (
            "The United States Navy is in Guam.",
            [("The United States Navy", "ORG")],
            [("The United States", "GPE"), ("Guam", "GPE")],
            [("The United States Navy", "ORG"), ("Guam", "GPE")],
        ),  # another place says where
        ("The Government of India rules.", [("The Government of India", "ORG")], [], [("India", "GPE")]),
        ("The Government of Love rules.", [("The Government of Love", "ORG")], [], None),  # no state
        ("the borough of Wibsey", [("Wibsey", "GPE")], [], [("Wibsey", "GPE")]),  # called a borough
        ("Wibsey is hot.", [("Wibsey", "GPE")], [], []),  # not called one
        (
            "Charlemagne at Agincourt",
            [("Charlemagne at Agincourt", "ORG")],
            [("Agincourt", "GPE")],
            [("Charlemagne", "ORG"), ("Agincourt", "GPE")],
        ),  # the model ran on
        ("algae grow", [("algae", "GPE")], [], []),  # no name at all
        ("Seismology is hard.", [("Seismology", "GPE")], [], []),  # no place there is
        ("Chappaqua, New York", [("Chappaqua", "GPE")], [], [("Chappaqua", "GPE")]),  # a hamlet before its state
        ("Do 6CO_{2} + form?", [("6CO_{2} +", "DATE")], [], []),  # a formula
        ("1 day has 24 hours", [("1 day has", "DATE")], [], [("1 day", "DATE")]),  # a verb hangs on
        (
            "There are 7 days in a week.",
            [("7 days in a week", "DATE")],
            [("week", "DATE")],
            [("7 days", "DATE"), ("week", "DATE")],
        ),  # two amounts
        ("A decade has 10 years.", [("A decade", "DATE")], [], [("decade", "DATE")]),  # a bare unit
        (
            "One seventh of a week is short.",
            [("One seventh of a week", "DATE")],
            [("a week", "DATE")],
            [("One seventh", "CARDINAL"), ("a week", "DATE")],
        ),  # a number, and what it is of
        ("It is done in a day.", [("a day", "DATE")], [], None),  # says when
        ("A lunar month is short.", [("A lunar month", "DATE")], [], None),  # a unit of its own
        (
            "the Battle of Hastings",
            [],
            [("the Battle of Hastings", "EVENT")],
            [("Hastings", "EVENT")],
        ),  # only our rules see the battle
        (
            "the Battle of Hastings",
            [("Battle of Hastings", "ORG")],
            [("the Battle of Hastings", "EVENT")],
            [("the Battle of Hastings", "EVENT")],
        ),  # the model sees one name
        ("the War of 1812", [], [("the War of 1812", "EVENT")], [("the War of 1812", "EVENT")]),  # no year
        (
            "10 hours and 24 minutes",
            [("10 hours and 24 minutes", "TIME")],
            [("10 hours", "TIME"), ("24 minutes", "TIME")],
            [("10 hours and 24 minutes", "TIME")],
        ),  # the longer of one kind
        ("Louis Pasteur’s work", [("Louis Pasteur’s", "PERSON")], [], [("Louis Pasteur", "PERSON")]),  # an owner's mark
        ("Did France win?", [("Did France", "ORG")], [], [("France", "GPE")]),  # a question's opening word
        ("See grey kangaroos.", [("grey kangaroos", "PERSON")], [], []),  # a name without a capital
        ("Venus is hot.", [("Venus", "GPE")], [], [("Venus", "LOC")]),  # a planet
        ("a light year away", [("a light year", "DATE")], [], []),  # a length
        ("five light years", [("years", "DATE")], [], []),  # the same, cut short
        ("It is in the Bible.", [("the Bible", "EVENT")], [], []),  # a book
        ("A Christmas Carol", [("A Christmas Carol", "WORK_OF_ART")], [("Christmas", "EVENT")], None),  # a title
        ("twenty years", [("twenty", "CARDINAL")], [("twenty years", "DATE")], [("twenty years", "DATE")]),
        (
            "It took Stephen 12 seconds.",
            [("Stephen 12 seconds", "PERSON")],
            [("12 seconds", "TIME")],
            [("Stephen", "PERSON"), ("12 seconds", "TIME")],
        ),  # a person beside a time
        ("Monday Night Football", [("Monday Night Football", "WORK_OF_ART")], [("Monday Night", "DATE")], None),
        ("April Fools", [("April", "PERSON")], [("April", "DATE")], [("April", "PERSON")]),  # a given name
        (
            "Super Bowl XLIV",
            [("Super Bowl XLIV", "FAC")],
            [("Super Bowl XLIV", "EVENT")],
            [("Super Bowl XLIV", "EVENT")],
        ),
    ],
)
def test_model_and_rules_together(text, model, rules, together):
    expected = model if together is None else together
    assert list(reconcile(text, entities(text, *model), entities(text, *rules))) == entities(text, *expected)


spans = st.tuples(st.integers(0, 30), st.integers(1, 9), st.sampled_from(list(Label)))
found_entities = st.lists(spans.map(lambda span: Entity(span[0], span[0] + span[1], span[2]))).map(longest_apart)


@given(st.text("Paris in May 12 hours.", min_size=40), found_entities, found_entities)
def test_what_is_put_together_is_sorted_and_apart(text, model, rules):
    together = reconcile(text, model, rules)
    assert list(together) == sorted(together)
    assert not any(overlap(left, right) for left in together for right in together if left is not right)
    assert all(entity.start < entity.end for entity in together)
