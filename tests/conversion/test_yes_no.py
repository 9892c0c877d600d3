"""Yes/no questions are stated with the polarity of their answers."""

import pytest

from cases import cases
from conversion_support import parsed
from situatedgen.conversion.morphology import AUXILIARIES
from situatedgen.conversion.yes_no import (
    Asked,
    assert_predicate,
    nonexistent,
    points_back,
    rescope_subject,
    scope_of,
    split_inverted,
    state,
    text_verdict,
    without_tag,
)
from situatedgen.records import Conversion
from situatedgen.vocabulary import Verdict


def stated(question: str, answer: str) -> Conversion:
    return parsed([state(question, positive=answer == "yes")])[0]


@pytest.mark.parametrize(("question", "lead", "clause"), cases("yes_no", "lead", "question", "lead", "clause"))
def test_a_lead_is_told_from_its_clause(question: str, lead: str, clause: str) -> None:
    assert split_inverted(question) == Asked(lead, clause)


@pytest.mark.parametrize("question", cases("yes_no", "no_clause", "question"))
def test_what_has_no_inverted_clause_is_not_split(question: str) -> None:
    assert split_inverted(question) is None


def test_a_tag_is_left_off() -> None:
    assert without_tag("Is Rome old, right?") == "Is Rome old?"
    assert without_tag("Is Rome old or not?") == "Is Rome old?"
    assert without_tag("Is that right?") == "Is that right?"


@pytest.mark.parametrize(
    ("subject", "form", "positive", "restated"),
    cases("yes_no", "quantifier", "subject", "form", "positive", "restated"),
)
def test_a_quantifier_takes_the_negation(subject: str, form: str, positive: bool, restated: str) -> None:
    scope = scope_of(subject, AUXILIARIES[form])
    assert scope is not None
    assert rescope_subject(subject, scope, AUXILIARIES[form], positive=positive) == restated


@pytest.mark.parametrize("subject", ["cats", "All Might", "someone with a cold", "allspice", "anyhow"])
def test_other_subjects_have_no_scope(subject: str) -> None:
    assert scope_of(subject, AUXILIARIES["is"]) is None


@pytest.mark.parametrize(("rest", "told"), cases("yes_no", "asserted", "rest", "told"))
def test_any_and_yet_are_not_asserted(rest: str, told: str) -> None:
    assert assert_predicate(rest) == told


@pytest.mark.parametrize(("negated", "told"), cases("yes_no", "nothing_there", "negated", "told"))
def test_nothing_is_there_by_no(negated: str, told: str) -> None:
    assert nonexistent(negated) == told


@pytest.mark.parametrize(
    ("subject", "declarative", "alone", "back"),
    cases("yes_no", "points_back", "subject", "declarative", "alone", "back"),
)
def test_a_subject_that_points_back_needs_its_context(subject: str, declarative: str, alone: bool, back: bool) -> None:
    assert points_back(subject, declarative, alone=alone) is back


def test_unclean_statements_are_seen_in_their_words() -> None:
    unclean = ["He is is old.", "He was be seen.", "Is it? he is.", 'The "cat is old.', "It (cat is old."]
    assert [text_verdict(text) for text in unclean] == [Verdict.NOT_CLEAN] * len(unclean)
    assert text_verdict('His great great aunt knew that that "cat" (Tom) was old.') is Verdict.KEPT


@pytest.mark.weights
@pytest.mark.parametrize(
    ("question", "answer", "statement"), cases("yes_no", "stated", "question", "answer", "statement")
)
def test_a_question_is_stated(question: str, answer: str, statement: str) -> None:
    found = stated(question, answer)
    assert (found.text, found.verdict) == (statement, Verdict.KEPT)
    assert 0.7 <= found.confidence <= 1


@pytest.mark.weights
@pytest.mark.parametrize(("question", "answer", "verdict"), cases("yes_no", "verdict", "question", "answer", "verdict"))
def test_what_is_not_sure_to_be_clean_has_a_verdict(question: str, answer: str, verdict: str) -> None:
    assert stated(question, answer).verdict is Verdict(verdict)


@pytest.mark.weights
def test_the_last_of_several_sentences_is_stated() -> None:
    found = stated("Dr. Smith lives in Rome. Is Rome in Italy?", "yes")
    assert (found.text, found.shape, found.verdict) == ("Rome is in Italy.", "yes_no.be", Verdict.KEPT)
