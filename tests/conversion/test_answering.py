"""Statements that were not made by rule, judged by what the answer says."""

import pytest

from situatedgen.conversion.fidelity import judge
from situatedgen.records import Question
from situatedgen.vocabulary import ItemKind, Verdict

CHOICE, YES_NO = ItemKind.CHOICE, ItemKind.YES_NO
KEPT, LOST, UNCLEAN = Verdict.KEPT, Verdict.LOST_ANSWER, Verdict.NOT_CLEAN


@pytest.mark.parametrize(
    ("question", "answer", "kind", "statement", "verdict"),
    [
        ("Where do people ski?", "on snow", CHOICE, "People ski on snow.", KEPT),
        ("Where do people ski?", "on snow", CHOICE, "People ski.", LOST),
        ("Where do people ski?", "on snow", CHOICE, "Where do people ski on snow?", UNCLEAN),
        ("What did I do?", "rebel", CHOICE, "I rebelled against Britain.", KEPT),  # in another form
        ("Where do people ski?", "on snow", CHOICE, "", UNCLEAN),
        ("Where do people ski?", "on snow", CHOICE, "People ski. On snow.", UNCLEAN),  # two sentences
        ("Is Guam a state?", "no", YES_NO, "Guam is not a state.", KEPT),
        ("Is Guam a state?", "no", YES_NO, "Guam isn't a state.", KEPT),
        ("Is Guam a state?", "no", YES_NO, "Guam is a state.", LOST),  # says the opposite
        ("Is Ohio a state?", "yes", YES_NO, "Ohio is a state.", KEPT),
        ("Is Ohio a state?", "yes", YES_NO, "Ohio is not a state.", LOST),
        ("Is there no snow in Peru?", "yes", YES_NO, "There is no snow in Peru.", KEPT),  # asked so
    ],
)
def test_the_first_fault_is_the_verdict(question, answer, kind, statement, verdict):
    assert judge(Question(question, answer, kind), statement) is verdict
