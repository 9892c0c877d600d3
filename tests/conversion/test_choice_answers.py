"""Answers are understood: their form, their article, their preposition, their verb."""

import pytest

from cases import cases
from conversion_support import parsed
from situatedgen.conversion.adverbs import place_phrase, reason, time_phrase
from situatedgen.conversion.answer import Answer, Form, understand
from situatedgen.conversion.gap import gerund, infinitive, verb_phrase

pytestmark = pytest.mark.weights


def understood(text: str) -> Answer:
    return parsed([understand(text)])[0]


@pytest.mark.parametrize(("text", "form"), cases("choice_answers", "form", "text", "form"))
def test_the_form_of_an_answer_is_seen(text: str, form: str) -> None:
    assert understood(text).form is Form(form)


@pytest.mark.parametrize(("text", "noun"), cases("choice_answers", "noun", "text", "noun"))
def test_a_noun_gets_the_article_it_needs(text: str, noun: str) -> None:
    assert understood(text).noun == noun


@pytest.mark.parametrize(("text", "verb", "phrase"), cases("choice_answers", "place", "text", "verb", "phrase"))
def test_a_place_gets_its_preposition(text: str, verb: str, phrase: str) -> None:
    assert place_phrase(understood(text), verb) == phrase


@pytest.mark.parametrize(("text", "phrase"), cases("choice_answers", "time", "text", "phrase"))
def test_a_time_gets_its_preposition(text: str, phrase: str) -> None:
    assert time_phrase(understood(text)) == phrase


@pytest.mark.parametrize(("text", "tag", "phrase"), cases("choice_answers", "verb", "text", "tag", "phrase"))
def test_a_verb_takes_the_form_its_place_asks_for(text: str, tag: str, phrase: str) -> None:
    assert verb_phrase(understood(text), tag) == phrase


def test_a_verb_is_a_gerund_as_a_subject_and_an_infinitive_as_an_aim() -> None:
    answer = understood("get tired")
    assert (gerund(answer), infinitive(answer), gerund(understood("bank"))) == (
        "getting tired",
        "to get tired",
        "a bank",
    )


@pytest.mark.parametrize(("text", "phrase"), cases("choice_answers", "reason", "text", "phrase"))
def test_a_reason_is_given_in_its_form(text: str, phrase: str) -> None:
    assert reason(understood(text)) == phrase
