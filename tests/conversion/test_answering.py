"""Statements that were not made by rule, judged by what the answer says."""

import pytest

from cases import cases
from situatedgen.conversion.confidence import judge_statement
from situatedgen.records import Question
from situatedgen.vocabulary import ItemKind, Verdict


@pytest.mark.parametrize(
    ("question", "answer", "kind", "statement", "verdict"),
    cases("answering", "judged", "question", "answer", "kind", "statement", "verdict"),
)
def test_the_first_fault_is_the_verdict(question, answer, kind, statement, verdict):
    assert judge_statement(Question(question, answer, ItemKind(kind)), statement) is Verdict(verdict)
