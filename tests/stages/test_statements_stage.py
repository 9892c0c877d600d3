"""The stage `statements`: claims tidied, questions asked once each, and every text judged."""

from collections.abc import Callable, Sequence

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from situatedgen.errors import ModelError
from situatedgen.params import StatementParams
from situatedgen.records import Conversion, Question
from situatedgen.rules import text as text_rules
from situatedgen.rules.text import is_clean
from situatedgen.schemas import ITEMS, STATEMENTS, check
from situatedgen.stages.statements import statements
from situatedgen.vocabulary import ItemKind, Verdict

SNOW = "It snows in Oslo."


class Recorder:
    """A converter that answers by a function and remembers what it was asked."""

    def __init__(self, answer: Callable[[Question], Conversion]) -> None:
        self.answer = answer
        self.asked: list[tuple[Question, ...]] = []

    def convert(self, questions: Sequence[Question]) -> list[Conversion]:
        self.asked.append(tuple(questions))
        return [self.answer(question) for question in questions]


def sure(question: Question) -> Conversion:
    return Conversion(f"The answer to it is {question.answer}.", "echo", 0.9, Verdict.KEPT)


def item(
    item_id: str,
    *,
    kind: ItemKind = ItemKind.CLAIM,
    statement: str | None = None,
    question: str | None = None,
    answer: str | None = None,
    verdict: Verdict = Verdict.KEPT,
) -> tuple[object, ...]:
    place = (item_id, "mine", "train", "mine/train.csv", 1)
    return (*place, kind, question, answer, statement, "CC0-1.0", "Me (2024)", verdict, None)


def stated(
    *rows: tuple[object, ...], converter: Recorder | None = None, min_confidence: float = 0.0
) -> list[tuple[object, ...]]:
    params = StatementParams(min_confidence=min_confidence)
    table = statements(ITEMS.frame(rows), params=params, converter=converter or Recorder(sure))
    return check(table, STATEMENTS, name="statements").with_columns(pl.col("confidence").round(3)).rows()


@pytest.mark.parametrize(
    ("claim", "text", "verdict"),
    [
        ("  the sun rises in the  east ", "The sun rises in the east.", Verdict.KEPT),  # tidied
        ("-2+2=0", "-2+2=0.", Verdict.NOT_CLEAN),  # no letter
        ("Dogs pant", "Dogs pant.", Verdict.NOT_CLEAN),  # too few words
        ("Do dogs pant in July?", "Do dogs pant in July?", Verdict.NOT_CLEAN),  # a question
        (
            "Snow is cold. It melts in May.",
            "Snow is cold. It melts in May.",
            Verdict.NOT_CLEAN,
        ),  # two sentences
    ],
)
def test_a_claim_is_tidied_and_judged(claim: str, text: str, verdict: Verdict) -> None:
    assert stated(item("a", statement=claim)) == [("a", "mine", text, "claim", 1.0, verdict.value)]


def test_items_that_were_set_aside_make_no_statement() -> None:
    kept = item("c", statement="Paris lies in France.")
    aside = [item(name, verdict=verdict) for name, verdict in (("a", Verdict.BLANK), ("b", Verdict.MALFORMED))]
    assert [row[0] for row in stated(kept, *aside)] == ["c"]


def test_a_question_is_asked_once_however_many_items_have_it() -> None:
    same = {"question": "Is it cold?", "answer": "yes"}
    rows = [
        item("a", kind=ItemKind.YES_NO, **same),
        item("b", kind=ItemKind.CHOICE, question="Where?", answer="Oslo"),
        item("c", kind=ItemKind.YES_NO, **same),
        item("d", kind=ItemKind.YES_NO, question="Is it cold?", answer="no"),
        item("e", statement="Claims are not asked."),
    ]
    converter = Recorder(sure)
    texts = [(row[0], row[2]) for row in stated(*rows, converter=converter)]
    assert texts == [
        ("a", "The answer to it is yes."),
        ("b", "The answer to it is Oslo."),
        ("c", "The answer to it is yes."),
        ("d", "The answer to it is no."),
        ("e", "Claims are not asked."),
    ]
    assert converter.asked == [(
        Question("Is it cold?", "yes", ItemKind.YES_NO),
        Question("Where?", "Oslo", ItemKind.CHOICE),
        Question("Is it cold?", "no", ItemKind.YES_NO),
    )]  # fmt: skip


def test_a_converter_is_left_alone_when_there_is_nothing_to_ask() -> None:
    converter = Recorder(sure)
    stated(item("a", statement="Paris lies in France."), converter=converter)
    assert converter.asked == []


@pytest.mark.parametrize(
    ("conversion", "min_confidence", "text", "verdict"),
    [
        (Conversion("it snows in Oslo", "s", 0.6, Verdict.KEPT), 0.0, SNOW, Verdict.KEPT),  # tidied
        (Conversion(SNOW, "s", 0.6, Verdict.KEPT), 0.6, SNOW, Verdict.KEPT),  # just sure enough
        (Conversion(SNOW, "s", 0.6, Verdict.KEPT), 0.7, SNOW, Verdict.UNSURE),  # not sure enough
        (Conversion("", "s", 0.0, Verdict.NO_RULE), 0.7, "", Verdict.NO_RULE),  # an earlier verdict stands
        (Conversion("Is it in Oslo?", "s", 1.0, Verdict.KEPT), 0.0, "Is it in Oslo?", Verdict.NOT_CLEAN),
        (Conversion(" ", "s", 1.0, Verdict.KEPT), 0.0, "", Verdict.NOT_CLEAN),  # nothing was made of it
    ],
)
def test_a_conversion_is_tidied_and_judged(
    conversion: Conversion, min_confidence: float, text: str, verdict: Verdict
) -> None:
    row = item("a", kind=ItemKind.CHOICE, question="Where?", answer="Oslo")
    found = stated(row, converter=Recorder(lambda question: conversion), min_confidence=min_confidence)
    assert found == [("a", "mine", text, "s", pytest.approx(conversion.confidence), verdict.value)]


class Forgetful(Recorder):
    """A converter that drops its last answer."""

    def convert(self, questions: Sequence[Question]) -> list[Conversion]:
        return super().convert(questions)[:-1]


@pytest.mark.parametrize(
    ("converter", "message"),
    [
        (Forgetful(sure), "the converter returned 0 answers, expected 1"),
        (
            Recorder(lambda question: Conversion("It is so.", "s", 1.5, Verdict.KEPT)),
            "returned the confidence 1.5 for 'It is so.'",
        ),
    ],
)
def test_a_converter_that_answers_wrongly_is_an_error(converter: Recorder, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        stated(item("a", kind=ItemKind.CHOICE, question="Where?", answer="Oslo"), converter=converter)


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("Red vs. Blue was released in 2003.", True),  # a short word with a period
        ("J. R. R. Tolkien wrote The Hobbit.", True),  # initials
        ("The U.S. Army fought in Normandy.", True),  # an abbreviation of letters
        ("Intel Corp. Stock fell in May.", True),  # a known abbreviation
        ("Mamma Mia! Here We Go Again came out in 2018.", True),  # a title with its own mark
        ("She forgot . Then she remembered it.", False),  # a space before the period
        ("The Beatles came from Liverpool, U.K. They sang.", True),  # cannot be told from an abbreviation
        ("LAKES ARE WET. DESERTS ARE DRY.", False),  # capitals
        ("County seats in Ohio...very well... Columbus.", False),  # an ellipsis
        ("Lakes in Ohio … Columbus.", False),  # the same in one letter
        ('He asked "Is it cold?"', False),  # a question in quotes at the end
    ],
)
def test_cleanness(text: str, clean: bool) -> None:
    assert is_clean(text) is clean


@given(st.lists(st.sampled_from(["The sun", " sets", ".", "…", " ", "It", '"', "vs", "Rome"])).map("".join))
def test_a_full_stop_within_is_what_a_second_sentence_or_an_ellipsis_needs(text: str) -> None:
    breaks = any(map(text_rules._ends_sentence, text_rules._BREAK.findall(text)))
    assert text_rules._goes_on(text) == (breaks or ".." in text or "…" in text)


def test_no_items_make_no_statements() -> None:
    assert stated() == []
