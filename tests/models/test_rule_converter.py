"""The converter `rules` states questions of every kind, and no result depends on its batch."""

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from situatedgen.errors import ModelError
from situatedgen.models import rule_converter
from situatedgen.models.rule_converter import RuleConverter
from situatedgen.params import StatementParams
from situatedgen.records import Conversion, Question
from situatedgen.runtime import Runtime
from situatedgen.vocabulary import ItemKind, Verdict

pytestmark = pytest.mark.weights

QUESTIONS = [
    Question("the sun is a star", "", ItemKind.CLAIM),
    Question("Did Alexander see Rome?", "yes", ItemKind.YES_NO),
    Question("Did Alexander see Rome?", "No", ItemKind.YES_NO),
    Question("Is Bern located south of Berlin?", "true", ItemKind.YES_NO),
    Question("What do people eat?", "bread", ItemKind.CHOICE),
    Question(" ", "", ItemKind.CLAIM),
    Question("Are pancakes typically prepared in a pot?", "false", ItemKind.YES_NO),
]


def converter() -> RuleConverter:
    return RuleConverter(StatementParams().converter, Runtime())


def test_each_kind_is_stated_in_its_place() -> None:
    found = converter().convert(QUESTIONS)
    assert [one.text for one in found[:4]] == [
        "The sun is a star.",
        "Alexander saw Rome.",
        "Alexander did not see Rome.",
        "Bern is located south of Berlin.",
    ]
    assert found[0] == Conversion("The sun is a star.", "claim", 1.0, Verdict.KEPT)
    assert found[5] == Conversion("", "claim", 1.0, Verdict.BLANK)
    assert found[4].shape.startswith("choice")
    assert found[6].text == "Pancakes are not typically prepared in a pot."


def test_no_result_depends_on_its_batch() -> None:
    together = converter().convert(QUESTIONS)
    alone = [converter().convert([question])[0] for question in QUESTIONS]
    assert together == alone
    assert converter().convert(QUESTIONS[::-1]) == together[::-1]


POOL = [
    *QUESTIONS,
    Question("What do people bake?", "bread", ItemKind.CHOICE),  # the same answer, asked for otherwise
    Question("What is a baker likely to bake in the morning?", "bread", ItemKind.CHOICE),
    Question("There is a lake in what country?", "chad", ItemKind.CHOICE),  # parts of speech after "there"
    Question("Where is there a lake?", "chad", ItemKind.CHOICE),
    Question("Is there a lake in Chad?", "yes", ItemKind.YES_NO),
    Question("Sam saw a bird. Which season was it most likely?", "spring", ItemKind.CHOICE),
]


@cache
def _alone() -> dict[Question, Conversion]:
    return {question: converter().convert([question])[0] for question in POOL}


@pytest.mark.slow
@settings(max_examples=25)
@given(st.lists(st.lists(st.sampled_from(POOL), max_size=8), max_size=3))
def test_no_result_depends_on_what_else_was_asked(batches: list[list[Question]]) -> None:
    """Analyses and parts of speech are remembered: what was asked before, with it or in which order is all one."""
    asked = converter()
    assert [asked.convert(batch) for batch in batches] == [[_alone()[one] for one in batch] for batch in batches]


def breaks_on_rome(error: Exception):
    def state(question: Question):
        (doc,) = yield [question.text]
        if "Rome" in question.text:
            raise error
        return Conversion(doc.text, "echo", 1.0, Verdict.KEPT)

    return state


def test_a_rule_that_breaks_loses_its_question_alone(monkeypatch, caplog) -> None:
    monkeypatch.setattr(rule_converter, "state", breaks_on_rome(IndexError("no such token")))
    asked = [Question(text, "yes", ItemKind.YES_NO) for text in ("Is it so?", "Is Rome old?", "Is it late?")]
    assert converter().convert(asked) == [
        Conversion("Is it so?", "echo", 1.0, Verdict.KEPT),
        Conversion("", "yes_no.broken", 0.0, Verdict.NO_RULE),
        Conversion("Is it late?", "echo", 1.0, Verdict.KEPT),
    ]
    assert [record.getMessage() for record in caplog.records] == [
        "cannot convert 'Is Rome old?' with the answer 'yes': IndexError('no such token')"
    ]


def test_an_error_of_our_own_is_raised(monkeypatch) -> None:
    monkeypatch.setattr(rule_converter, "state", breaks_on_rome(ModelError("weights are gone")))
    with pytest.raises(ModelError, match="weights are gone"):
        converter().convert([Question("Is Rome old?", "yes", ItemKind.YES_NO)])


def test_nothing_in_gives_nothing_out() -> None:
    assert converter().convert([]) == []
