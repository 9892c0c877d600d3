"""Keywords: entities, and the nouns beside them."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from situatedgen import testing
from situatedgen.errors import ModelError
from situatedgen.params import EntityParams, KeywordParams
from situatedgen.records import Entity, Span
from situatedgen.rules.keywords import Keyword, keywords_of
from situatedgen.schemas import ENTITIES, KEYWORDS, STATEMENTS, check
from situatedgen.stages.entities import entities
from situatedgen.stages.keywords import keywords
from situatedgen.vocabulary import KeywordKind, Label, Verdict

ENTITY, NOUN = KeywordKind.ENTITY, KeywordKind.NOUN
DATE, GPE, PERSON = Label.DATE, Label.GPE, Label.PERSON


@pytest.mark.parametrize(
    ("named", "nouns", "found"),
    [
        ([], [], []),  # nothing at all
        ([], [Span(3, 5)], [Keyword(3, 5, NOUN, None)]),  # a noun alone
        (
            [Entity(0, 13, DATE)],
            [Span(8, 13)],
            [Keyword(0, 13, ENTITY, DATE)],
        ),  # "a lunar month", not "month"
        ([Entity(4, 8, GPE)], [Span(6, 10)], [Keyword(4, 8, ENTITY, GPE)]),  # they overlap by a part
        (
            [Entity(4, 8, GPE)],
            [Span(0, 4), Span(8, 9)],
            [Keyword(0, 4, NOUN, None), Keyword(4, 8, ENTITY, GPE), Keyword(8, 9, NOUN, None)],
        ),  # they touch without a letter in common
        ([Entity(0, 4, PERSON)], [], [Keyword(0, 4, ENTITY, PERSON)]),  # a name that is no context is one too
    ],
)
def test_the_entity_stands_where_it_meets_a_noun(named, nouns, found):
    assert keywords_of(named, nouns) == tuple(found)


@given(st.sets(st.integers(0, 40)), st.sets(st.integers(0, 40)))
def test_keywords_are_sorted_and_apart_and_hold_every_entity(starts, others):
    named = [Entity(3 * start, 3 * start + 3, GPE) for start in sorted(starts)]
    nouns = [Span(2 * start, 2 * start + 2) for start in sorted(others)]
    found = keywords_of(named, nouns)
    assert all(left.end <= right.start for left, right in pairwise(found))
    assert [word for word in found if word.kind is ENTITY] == [
        Keyword(entity.start, entity.end, ENTITY, GPE) for entity in named
    ]


class Listed:
    """Answers with what it was given, and remembers what it was asked."""

    def __init__(self, answers):
        self.answers, self.asked = answers, []

    def tag(self, texts):
        self.asked.append(list(texts))
        return [self.answers[text] for text in texts]

    find = tag


class Mute:
    def tag(self, texts):
        return []

    find = tag


STATEMENTS_TABLE = STATEMENTS.frame(
    [
        ("a::1", "a", "Paris is old.", "claim", 1.0, Verdict.KEPT),
        ("a::2", "a", "Cats sleep.", "claim", 1.0, Verdict.KEPT),
        ("a::3", "a", "Rome is", "claim", 0.1, Verdict.NOT_CLEAN),
        ("b::1", "b", "Paris is old.", "claim", 1.0, Verdict.KEPT),
    ]
)


def test_only_kept_statements_are_tagged_and_each_text_once():
    tagger = Listed({"Paris is old.": (Entity(0, 5, GPE),), "Cats sleep.": ()})
    table = check(entities(STATEMENTS_TABLE, params=EntityParams(), tagger=tagger), ENTITIES, name="entities")
    assert tagger.asked == [["Cats sleep.", "Paris is old."]]
    assert table.rows() == [("a::1", 0, 5, "Paris", "GPE"), ("b::1", 0, 5, "Paris", "GPE")]


def test_only_statements_with_a_place_or_time_get_keywords():
    texts = testing.statements(("a::1", "Paris is an old town."), ("a::2", "Plato wrote books."))
    named = testing.entities(texts, ("a::1", "Paris", GPE), ("a::2", "Plato", PERSON))
    nouns = Listed({"Paris is an old town.": (Span(0, 5), Span(16, 20))})
    table = check(keywords(texts, named, params=KeywordParams(), nouns=nouns), KEYWORDS, name="keywords")
    assert nouns.asked == [["Paris is an old town."]]
    assert table.rows() == [
        ("a::1", 0, 5, "Paris", "entity", "GPE"),
        ("a::1", 16, 20, "town", "noun", None),
    ]


def test_a_word_that_stands_twice_is_two_rows():
    texts = testing.statements(("a::1", "May in May"))
    named = ENTITIES.frame([("a::1", 0, 3, "May", DATE), ("a::1", 7, 10, "May", DATE)])
    table = keywords(texts, named, params=KeywordParams(), nouns=Listed({"May in May": ()}))
    assert table["start"].to_list() == [0, 7]


def test_nothing_in_nothing_out():
    none = STATEMENTS.empty
    tagged = entities(none, params=EntityParams(), tagger=Listed({}))
    assert_frame_equal(tagged, ENTITIES.empty)
    assert_frame_equal(keywords(none, tagged, params=KeywordParams(), nouns=Listed({})), KEYWORDS.empty)


def test_a_model_that_answers_too_little_is_refused():
    texts = testing.statements(("a::1", "Paris"))
    with pytest.raises(ModelError, match="returned 0 answers, expected 1"):
        entities(texts, params=EntityParams(), tagger=Mute())
    with pytest.raises(ModelError, match="returned 0 answers, expected 1"):
        keywords(texts, testing.entities(texts, ("a::1", "Paris", GPE)), params=KeywordParams(), nouns=Mute())
