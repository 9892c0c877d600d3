"""What makes a statement doubtful, and the slips of articles, owners and places that once made it so."""

import pytest

from situatedgen.conversion.choice import state
from situatedgen.conversion.parsing import drive
from situatedgen.records import Conversion

pytestmark = pytest.mark.weights

SURE = 0.5


def stated(question: str, answer: str) -> Conversion:
    from situatedgen.models.spacy_models import parse  # noqa: PLC0415

    return drive([state(question, answer)], lambda texts: list(parse(texts, disable=("ner",))))[0]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("The majority found it what?", "great"),  # "a great": rather an adjective
        ("Where can you find the best Japanese restaurant?", "tokio"),  # "a tokio": perhaps a name
        ("What happens when oil is placed in water?", "The oil floats on top of the water."),  # a clause misread
        ("Peacefully cruising along brought many what?", "pleasure"),  # one after "many"
        ("Where would you keep the files that you're currently working on?", "desk"),  # "working on on"
        ("Where event might one see a skater?", "hockey game"),  # no phrase of a place beside "where"
        ("Almost everyone has been in a what?", "automobile accidents"),  # several after "a"
        ("The saying is that taxes are sure, and also what?", "death and"),  # an answer that breaks off
    ],
)
def test_a_sign_of_a_misread_answer_makes_a_statement_unsure(question: str, answer: str) -> None:
    assert stated(question, answer).confidence < SURE


@pytest.mark.parametrize(
    ("question", "answer", "text"),
    [
        ("Every time he breathed he would also what?", "wheeze", "Every time he breathed he would also wheeze."),
        ("She wanted a car that was small and what?", "compact", "She wanted a car that was small and compact."),
        ("They do everything they can to avoid what?", "get wet", "They do everything they can to avoid getting wet."),
        ("A garage is a type of what?", "building", "A garage is a type of building."),
        ("What does a baby need to do to eat?", "open mouth", "A baby needs to open one's mouth to eat."),
        ("What must you do to see?", "open eyes", "You must open your eyes to see."),
        ("Which is an example of rust?", "nails rusting", "Nails rusting is an example of rust."),
        ("What is a computer unable to do?", "love", "A computer is unable to love."),
        ("How long does Earth take to orbit the Sun?", "one year", "Earth takes one year to orbit the Sun."),
        ("Where do sheep live?", "farm", "Sheep live on a farm."),
        ("Where do rich people live?", "big house", "Rich people live in a big house."),
        ("Where would you play a game with your family?", "home", "You would play a game with your family at home."),
        ("Where would someone bring you a cup?", "restaurant", "Someone would bring you a cup at a restaurant."),
    ],
)  # fmt: skip
def test_a_slip_is_mended(question: str, answer: str, text: str) -> None:
    assert stated(question, answer).text == text
