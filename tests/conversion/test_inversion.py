"""Subject-auxiliary inversion is undone, with tense, agreement and negation where they belong."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import cases
from conversion_support import parsed
from situatedgen.conversion.inversion import (
    Predicate,
    ScoredDeclarative,
    as_sentence,
    capitalise_first,
    declare,
    drop_doubled_words,
    normalise_spaces,
    predicate,
    sentence,
    split_sentences,
    strip_final_mark,
)
from situatedgen.conversion.morphology import (
    AUXILIARIES,
    AuxiliaryKind,
    auxiliary,
    inflect,
    is_only_verb,
    may_be_base,
    may_be_participle,
    negate_auxiliary,
)
from situatedgen.conversion.parsing import Parsing, drive


def declared(clauses: Sequence[str], *, negative: bool = False, gapped: bool = False) -> list[ScoredDeclarative | None]:
    return parsed([declare(clause, negative=negative, gapped=gapped) for clause in clauses])


def text_of(clause: str, *, negative: bool = False, gapped: bool = False) -> str | None:
    (found,) = declared([clause], negative=negative, gapped=gapped)
    return None if found is None else found.text


@pytest.mark.parametrize(("lemma", "tag", "form"), cases("inversion", "form", "lemma", "tag", "form"))
def test_a_verb_takes_the_form_of_its_tag(lemma: str, tag: str, form: str) -> None:
    assert inflect(lemma, tag) == form


def test_words_are_told_by_the_verb_forms_they_may_be() -> None:
    assert [word for word in ("make", "seal", "went", "monsoons", "slamdunk") if may_be_base(word)] == [
        "make",
        "seal",
        "slamdunk",
    ]
    assert [word for word in ("seen", "proven", "outsold", "eating", "cats") if may_be_participle(word)] == [
        "seen",
        "proven",
        "outsold",
    ]
    assert [word for word in ("confuse", "seal", "exceed") if is_only_verb(word)] == ["confuse", "exceed"]


PREDICATE = ("form", "adverbs", "verb", "negative", "before", "finite", "between", "main", "is_negative")


@pytest.mark.parametrize(PREDICATE, cases("inversion", "predicate", *PREDICATE))
def test_a_predicate_has_its_words_in_order(
    form: str,
    adverbs: list[str],
    verb: str,
    negative: bool,
    before: str,
    finite: str,
    between: str,
    main: str,
    is_negative: bool,
) -> None:
    found = predicate(AUXILIARIES[form], adverbs, verb, negative=negative)
    assert found == Predicate(before, finite, between, main, is_negative)


def test_auxiliaries_are_known_by_stem_and_slip() -> None:
    forms = [found.form for word in ("Is", "Ca", "wo", "Wold", "WILL") if (found := auxiliary(word))]
    assert forms == ["is", "can", "will", "would", "will"]
    assert auxiliary("cat") is None
    assert [negate_auxiliary(form) for form in ("can", "is")] == ["cannot", "is not"]
    assert AUXILIARIES["has"].kind is AuxiliaryKind.HAVE


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two? Three!", ("One.", "Two?", "Three!")),
        ("Dr. Seuss wrote it. Is it long?", ("Dr. Seuss wrote it.", "Is it long?")),  # a title is no end
        ("Was A.E. Housman born in the U.S. Midwest?", ("Was A.E. Housman born in the U.S. Midwest?",)),
        ("It is 3.5 m. Is that long?", ("It is 3.5 m.", "Is that long?")),  # nor is a decimal point
        ("  ", ()),
    ],
)
def test_sentences_are_split_at_their_marks(text: str, sentences: tuple[str, ...]) -> None:
    assert split_sentences(text) == sentences


@given(st.text(alphabet="aB. ?!\"'"))
def test_splitting_loses_nothing_but_space(text: str) -> None:
    assert "".join("".join(split_sentences(text)).split()) == "".join(text.split())


def test_marks_spaces_and_capitals_are_tidied() -> None:
    assert normalise_spaces(" a  b , c ?") == "a b, c?"
    assert strip_final_mark("Is it ?? ") == "Is it"
    assert strip_final_mark("Was he in the U.S.?") == "Was he in the U.S."  # an abbreviation keeps its period
    assert capitalise_first('"war" is over') == '"War" is over'
    assert capitalise_first("iPhones ring") == "iPhones ring"  # a word with capitals of its own
    assert drop_doubled_words("in in the the end") == "in the end"
    assert sentence("he lives in the U.S.") == "He lives in the U.S."


def counting(number: int) -> Parsing[int]:
    """Asks for `number` texts one after another and returns how many parses it was sent."""
    sent = 0
    for text in range(number):
        docs = yield [str(text), str(text)]
        sent += len(docs)
    return sent


@given(st.lists(st.integers(0, 5)))
def test_driving_gives_each_work_its_own_result_and_parses_each_text_once(numbers: list[int]) -> None:
    asked: list[str] = []

    def parse(texts: Sequence[str]) -> list[str]:
        asked.extend(texts)
        return list(texts)

    results = drive([counting(number) for number in numbers], parse)  # type: ignore[arg-type]
    assert results == [2 * number for number in numbers]
    assert asked == [str(text) for text in range(max(numbers, default=0))]


@pytest.mark.weights
@pytest.mark.parametrize(("clause", "negative", "text"), cases("inversion", "declared", "clause", "negative", "text"))
def test_a_clause_is_declared(clause: str, negative: bool, text: str) -> None:
    assert text_of(clause, negative=negative) == text


@pytest.mark.weights
@pytest.mark.parametrize(
    ("clause", "text"),
    [
        ("do people aim to do at work", "people aim to do at work"),
        ("is a marmoset from", "a marmoset is from"),
        ("would you find many canals", "you would find many canals"),
        ("is the capital of France", "the capital of France is"),  # nothing is left after the subject
    ],
)
def test_a_clause_that_a_wh_phrase_left_is_declared(clause: str, text: str) -> None:
    assert text_of(clause, gapped=True) == text


@pytest.mark.weights
@pytest.mark.parametrize("clause", ["", "?", "Snow is white", "Is", "Does Paris"])
def test_what_is_no_inverted_clause_has_no_declarative(clause: str) -> None:
    assert text_of(clause) is None


@pytest.mark.weights
def test_every_subject_is_found_before_every_predicate() -> None:
    subjects = ["Paris", "the old man", "my sister", "the king of Spain", "people who live in Rome", "Tom and Ann"]
    predicates = {
        "would {} swim in the sea": "{} would swim in the sea",
        "can {} speak Latin": "{} can speak Latin",
        "did {} win a prize": "{} won a prize",
        "will {} be remembered": "{} will be remembered",
    }
    pairs = list(product(subjects, predicates.items()))
    found = declared([asked.format(subject) for subject, (asked, _) in pairs])
    assert [one and one.text for one in found] == [told.format(subject) for subject, (_, told) in pairs]


@pytest.mark.weights
def test_spans_point_at_subject_and_verbs() -> None:
    (found,) = declared(["Does the old man often eat fish?"], negative=True)
    assert found is not None
    whole, spans = found.declarative.text, found.declarative
    pieces = [whole[span.start : span.end] for span in (spans.subject, spans.finite, spans.verb)]
    assert pieces == ["the old man", "does not", "eat"]
    assert found.doc.text == as_sentence(whole)
    assert found.opposite().text == "the old man often eats fish"
