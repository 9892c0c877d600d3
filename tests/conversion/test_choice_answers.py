"""Answers are understood: their form, their article, their preposition, their verb."""

import pytest

from situatedgen.conversion.adverbs import place_phrase, reason, time_phrase
from situatedgen.conversion.answer import Answer, Form, understand
from situatedgen.conversion.gap import gerund, infinitive, verb_phrase
from situatedgen.conversion.parsing import drive

pytestmark = pytest.mark.weights


def understood(text: str) -> Answer:
    from situatedgen.models.spacy_models import parse  # noqa: PLC0415

    return drive([understand(text)], lambda texts: list(parse(texts, disable=("ner",))))[0]


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("bank", Form.NOUN),
        ("the candle left out in the open", Form.NOUN),  # a participle, not a clause
        ("increase in the salt content", Form.NOUN),  # a noun, though a verb is written alike
        ("how to swim", Form.NOUN),
        ("learn from each other", Form.VERB),
        ("fall asleep", Form.VERB),
        ("Tag several sharks.", Form.VERB),  # told by the determiner after it
        ("making love", Form.GERUND),
        ("swimming pool", Form.NOUN),  # a compound
        ("being born in spring", Form.GERUND),
        ("to find food", Form.INFINITIVE),
        ("by train", Form.ADVERBIAL),
        ("downtown", Form.ADVERBIAL),
        ("violent", Form.ADJECTIVE),
        ("It evaporated.", Form.CLAUSE),
        ("A hurricane moves onto land.", Form.CLAUSE),  # a plural under "a" is a verb
        ("Do algae eat?", Form.QUESTION),
    ],
)
def test_the_form_of_an_answer_is_seen(text: str, form: Form) -> None:
    assert understood(text).form is form


@pytest.mark.parametrize(
    ("text", "noun"),
    [
        ("bank", "a bank"),
        ("water", "water"),  # not counted
        ("lakes", "lakes"),
        ("surface of earth", "the surface of the earth"),
        ("lack of rain", "a lack of rain"),
        ("friend's house", "a friend's house"),
        ("Earth's crust", "Earth's crust"),
        ("atlantic ocean", "the Atlantic Ocean"),
        ("new york", "New York"),
        ("united states", "the United States"),
        ("ocean", "the ocean"),
        ("full stomach", "a full stomach"),
        ("high school", "a high school"),
        ("school", "school"),
        ("own home", "one's own home"),
        ("meter stick, spring scale", "a meter stick and spring scale"),  # a list is spoken
        ("grasses -> bushes -> trees", "grasses, then bushes, then trees"),
        ("a prism", "a prism"),
        ("erosion", "erosion"),
        ("solution", "a solution"),
    ],
)
def test_a_noun_gets_the_article_it_needs(text: str, noun: str) -> None:
    assert understood(text).noun == noun


@pytest.mark.parametrize(
    ("text", "verb", "phrase"),
    [
        ("bank", "", "at a bank"),
        ("bank", "go", "to a bank"),
        ("paris", "visit", "Paris"),
        ("venice", "", "in Venice"),
        ("china", "", "in China"),  # the country where a place is asked for
        ("shelf", "", "on a shelf"),
        ("in the ocean", "", "in the ocean"),  # its own preposition
        ("outside", "", "outside"),
        ("jar", "go", "in a jar"),
        ("country", "", "in the country"),
    ],
)
def test_a_place_gets_its_preposition(text: str, verb: str, phrase: str) -> None:
    assert place_phrase(understood(text), verb) == phrase


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("June 30", "on June 30"),
        ("summer", "in summer"),
        ("noon", "at noon"),
        ("the afternoon", "in the afternoon"),
        ("once a week", "once a week"),
        ("storm", "during a storm"),
        ("after dinner", "after dinner"),
    ],
)
def test_a_time_gets_its_preposition(text: str, phrase: str) -> None:
    assert time_phrase(understood(text)) == phrase


@pytest.mark.parametrize(
    ("text", "tag", "phrase"),
    [
        ("complete job", "VB", "complete a job"),
        ("complete job", "VBD", "completed a job"),
        ("cook dinner", "VBZ", "cooks dinner"),
        ("making love", "VB", "make love"),
        ("to find food", "VBG", "finding food"),
        ("apply for job", "VB", "apply for a job"),
        ("reduces waste", "VBG", "reducing waste"),
        ("doctor himself", "VB", "doctor himself"),
        ("It melts.", "VB", ""),  # a clause is no verb phrase
    ],
)
def test_a_verb_takes_the_form_its_place_asks_for(text: str, tag: str, phrase: str) -> None:
    assert verb_phrase(understood(text), tag) == phrase


def test_a_verb_is_a_gerund_as_a_subject_and_an_infinitive_as_an_aim() -> None:
    answer = understood("get tired")
    assert (gerund(answer), infinitive(answer), gerund(understood("bank"))) == (
        "getting tired",
        "to get tired",
        "a bank",
    )


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("It is cooler at night.", "because it is cooler at night"),
        ("prepare meals", "to prepare meals"),
        ("cooling off", "to cool off"),
        ("not feel pain", "to not feel pain"),
        ("to find water", "to find water"),
        ("relaxation", "for relaxation"),
        ("storm", "because of a storm"),
    ],
)
def test_a_reason_is_given_in_its_form(text: str, phrase: str) -> None:
    assert reason(understood(text)) == phrase
