"""Questions that are easily read wrongly, and how sure the converter is of what it made."""

import pytest

from cases import cases
from conversion_support import stated_choice
from situatedgen.vocabulary import Verdict

pytestmark = pytest.mark.weights

SURE = 0.5

MISREAD = ("subject", "noun_asked_about", "place", "inside")


@pytest.mark.parametrize(
    ("question", "answer", "statement"),
    [row for table in MISREAD for row in cases("choice_mends", table, "question", "answer", "statement")],
)
def test_a_question_easily_misread_is_stated_well(question: str, answer: str, statement: str) -> None:
    conversion = stated_choice(question, answer)
    assert (conversion.text, conversion.verdict) == (statement, Verdict.KEPT)


@pytest.mark.parametrize(("question", "answer", "sure"), cases("choice_mends", "sure", "question", "answer", "sure"))
def test_a_doubtful_fit_is_not_called_sure(question: str, answer: str, sure: bool) -> None:
    assert (stated_choice(question, answer).confidence >= SURE) is sure


@pytest.mark.parametrize(
    ("question", "answer", "verdict"), cases("choice_mends", "alone", "question", "answer", "verdict")
)
def test_a_sentence_stands_alone_unless_it_points_to_an_earlier_one(question: str, answer: str, verdict: str) -> None:
    assert stated_choice(question, answer).verdict is Verdict(verdict)
