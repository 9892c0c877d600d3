"""What makes a statement doubtful, and the slips of articles, owners and places that once made it so."""

import pytest

from cases import cases
from conversion_support import stated_choice

pytestmark = pytest.mark.weights

SURE = 0.5


@pytest.mark.parametrize(("question", "answer"), cases("choice_doubts", "unsure", "question", "answer"))
def test_a_sign_of_a_misread_answer_makes_a_statement_unsure(question: str, answer: str) -> None:
    assert stated_choice(question, answer).confidence < SURE


@pytest.mark.parametrize(
    ("question", "answer", "statement"), cases("choice_doubts", "mended", "question", "answer", "statement")
)
def test_a_slip_is_mended(question: str, answer: str, statement: str) -> None:
    assert stated_choice(question, answer).text == statement
