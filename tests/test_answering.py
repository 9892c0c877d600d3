"""Statements that were not made by rule, judged by what the answer says."""

import pytest

from situatedgen.records import Question
from situatedgen.rules.answering import judge, lost_words
from situatedgen.vocabulary import ItemKind, Verdict

CHOICE, YES_NO = ItemKind.CHOICE, ItemKind.YES_NO
KEPT, LOST, UNCLEAN = Verdict.KEPT, Verdict.LOST_ANSWER, Verdict.NOT_CLEAN


@pytest.mark.parametrize(
    ("question", "answer", "kind", "statement", "verdict"),
    [
        ("Where do people ski?", "on snow", CHOICE, "People ski on snow.", KEPT),
        ("Where do people ski?", "on snow", CHOICE, "People ski.", LOST),
        ("Where do people ski?", "on snow", CHOICE, "Where do people ski on snow?", UNCLEAN),
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


@pytest.mark.parametrize(
    ("answer", "statement", "lost"),
    [
        ("the big city", "Many big cities have trams.", ()),  # another form; the article does not count
        ("rebel", "I rebelled against Britain.", ()),
        ("Paris", "The capital is Rome.", ("paris",)),
        ("on", "The light is off.", ("on",)),  # an answer of small words only counts them
        ("cat", "She has a cart.", ("cat",)),  # nearly the same letters, another word
    ],
)
def test_words_of_the_answer_are_found_in_any_form(answer, statement, lost):
    assert lost_words(answer, statement) == lost
