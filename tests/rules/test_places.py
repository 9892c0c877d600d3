"""States, provinces and towns are found by name, and a model's finds are weighed against the rules'."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import cases
from situatedgen.records import Entity
from situatedgen.rules.entities import reconcile
from situatedgen.rules.places import find_places, is_place_name
from situatedgen.rules.spans import longest_apart, overlap
from situatedgen.vocabulary import Label


@pytest.mark.parametrize(("text", "places"), cases("places", "places", "text", "places"))
def test_places(text, places):
    assert [text[place.start : place.end] for place in find_places(text)] == places


@pytest.mark.parametrize(("name", "known"), cases("places", "place_names", "name", "known"))
def test_place_names(name, known):
    assert is_place_name(name) is known


def entities(text, *named):
    return [Entity(text.index(part), text.index(part) + len(part), Label(label)) for part, label in named]


def test_of_entities_that_overlap_the_longest_stands():
    found = [Entity(0, 4, Label.GPE), Entity(2, 9, Label.DATE), Entity(9, 11, Label.GPE)]
    assert longest_apart(found) == (Entity(2, 9, Label.DATE), Entity(9, 11, Label.GPE))


@pytest.mark.parametrize(
    ("text", "model", "rules", "together"), cases("places", "together", "text", "model", "rules", "together")
)
def test_model_and_rules_together(text, model, rules, together):
    assert list(reconcile(text, entities(text, *model), entities(text, *rules))) == entities(text, *together)


spans = st.tuples(st.integers(0, 30), st.integers(1, 9), st.sampled_from(list(Label)))
found_entities = st.lists(spans.map(lambda span: Entity(span[0], span[0] + span[1], span[2]))).map(longest_apart)


@given(st.text("Paris in May 12 hours.", min_size=40), found_entities, found_entities)
def test_what_is_put_together_is_sorted_and_apart(text, model, rules):
    together = reconcile(text, model, rules)
    assert list(together) == sorted(together)
    assert not any(overlap(left, right) for left in together for right in together if left is not right)
    assert all(entity.start < entity.end for entity in together)
