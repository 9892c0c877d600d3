"""What every tagger and noun finder keeps to, and what the embedded tagger finds that the small model misses."""

import pytest

from situatedgen import testing
from situatedgen.models import registry
from situatedgen.params import EntityParams, KeywordParams, ModelParams
from situatedgen.records import Span
from situatedgen.runtime import Runtime

WEIGHTS = EntityParams().tagger.weights
TEXTS = [
    "",
    "July is summer in the United States.",
    "May may be warm in May.",
    "guam is not part of ontario",
    "İzmir’s winters are mild – 10 °C at noon.",
    "   spaces   and\ttabs   ",
    "Super Bowl XLIV was watched for 4 hours by Paris Hilton in New York City in the 2010s.",
]


def tagger(name):
    return registry.load("tagger", ModelParams(name=name, weights=WEIGHTS), Runtime())


def nouns(name):
    params = KeywordParams().nouns.model_copy(update={"name": name})
    return registry.load("nouns", params, Runtime())


every_tagger = pytest.mark.parametrize(
    "name",
    ["fake", pytest.param("spacy", marks=pytest.mark.weights), pytest.param("embedded", marks=pytest.mark.weights)],
)
every_noun_finder = pytest.mark.parametrize("name", ["fake", pytest.param("spacy", marks=pytest.mark.weights)])


@every_tagger
def test_a_tagger_keeps_to_its_role(name):
    assert testing.tagger_faults(tagger(name), TEXTS) == []


@every_noun_finder
def test_a_noun_finder_keeps_to_its_role(name):
    assert testing.noun_faults(nouns(name), TEXTS) == []


def found(text):
    (entities,) = tagger("embedded").tag([text])
    return [(text[entity.start : entity.end], entity.label.value) for entity in entities]


@pytest.mark.weights
@pytest.mark.parametrize(
    ("text", "entities"),
    [
        ("Winters are cold and summers are hot.", [("Winters", "DATE"), ("summers", "DATE")]),  # twins alike
        ("Muslims fast during Ramadan.", [("Muslims", "NORP"), ("Ramadan", "DATE")]),
        ("Dew forms in the morning.", [("the morning", "TIME")]),
        ("guam is far from ontario", [("guam", "GPE"), ("ontario", "GPE")]),  # the casing is ours, the offsets theirs
        ("Turtles live in Southern Europe.", [("Southern Europe", "LOC")]),  # a land is no state
        ("Michael Jordan was born in New York.", [("Michael Jordan", "PERSON"), ("New York", "GPE")]),
        ("The Alps are on Earth.", [("Alps", "LOC"), ("Earth", "LOC")]),
        ("Algae make oxygen.", []),  # the model's slip
        ("You have the time of your life.", []),  # nothing that says when
    ],
)
def test_the_embedded_tagger(text, entities):
    assert found(text) == entities


@pytest.mark.weights
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("China's rivers are long.", ["China", "rivers"]),  # no possessive
        ("A lunar month has 29 days.", ["month", "days"]),  # no number
        ("The north-west wind blows at 5 %.", ["north", "west", "wind"]),  # no sign
        ("It is 10 $ .", []),
    ],
)
def test_nouns_are_single_words_with_letters(text, words):
    assert nouns("spacy").find([text]) == [
        tuple(Span(text.index(word), text.index(word) + len(word)) for word in words)
    ]
