"""What people see of a pair: marks, the pair joined by "while", and places or times changed over."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from situatedgen.records import Entity
from situatedgen.review.queue import sheets
from situatedgen.review.view import (
    Chip,
    Kind,
    Mark,
    Marked,
    Part,
    common_words,
    found_marks,
    join_sentences,
    marks_of,
    parts,
    swap_sentences,
    view,
)
from situatedgen.vocabulary import Context, Label
from storage import builds

COMMON = common_words(["The boys say it is hot, and dogs bark in the winter."])


def marked(text: str, *found: tuple[str, Kind]) -> Marked:
    """A sentence with the places and times that are named."""
    return Marked(text, tuple(Mark(text.index(part), text.index(part) + len(part), kind) for part, kind in found))


def said(shown: tuple[Part, ...]) -> str:
    return "".join(part.text for part in shown)


def test_marks_are_the_places_and_times_among_the_entities() -> None:
    found = [(9, 14, Label.DATE), (0, 5, Label.GPE), (20, 25, Label.PERSON), (6, 8, Label.LOC)]
    entities = [Entity(*each) for each in found]
    assert marks_of(entities) == (Mark(0, 5, Kind.PLACE), Mark(9, 14, Kind.TIME))


@pytest.mark.parametrize(
    ("text", "keywords", "found"),
    [
        ("It is summer in Spain in July.", ["Spain", "July", "summer"], ["summer", "Spain", "July"]),  # both kinds
        ("It is summer in Spain in July.", ["Spain"], ["Spain"]),  # only keywords are marked
        ("turkey is eaten with rice.", ["turkey", "rice"], []),  # no place here
    ],
)
def test_without_a_store_the_rules_find_the_marks(text: str, keywords: list[str], found: list[str]) -> None:
    assert [text[mark.start : mark.end] for mark in found_marks(text, keywords)] == found


@pytest.mark.parametrize(
    ("first", "second", "whole"),
    [
        # a common word loses its capital
        ("It is hot.", marked("Dogs bark."), "It is hot, while dogs bark."),
        # a name keeps it, and so does a word that no text writes small
        ("It is hot.", marked("Dublin is old.", ("Dublin", Kind.PLACE)), "It is hot, while Dublin is old."),
        ("It is hot.", marked("Zebras run."), "It is hot, while Zebras run."),
        # a month is a name, whatever else the word may mean
        ("It is hot.", marked("May is mild.", ("May", Kind.TIME)), "It is hot, while May is mild."),
        # the article of a place is none of its name
        ("It is hot.", marked("The Hague is old.", ("The Hague", Kind.PLACE)), "It is hot, while the Hague is old."),
        # the point of an abbreviation stays
        ("Noon is 12 P.M.", marked("It is hot."), "Noon is 12 P.M., while it is hot."),
    ],
)
def test_while_joins_two_sentences_into_one(first: str, second: Marked, whole: str) -> None:
    assert said(join_sentences(marked(first), second, COMMON)) == whole


def test_places_are_changed_over_in_their_order_and_the_rest_stays() -> None:
    first = marked(
        "In Spain and Peru it is hot in May.", ("Spain", Kind.PLACE), ("Peru", Kind.PLACE), ("May", Kind.TIME)
    )
    second = marked("The United States is cold.", ("The United States", Kind.PLACE))
    assert swap_sentences(first, second, Kind.PLACE, COMMON) == (
        (
            Part("In "),
            Part("the United States", "place", is_moved=True),
            Part(" and "),
            Part("Peru", "place"),
            Part(" it is hot in "),
            Part("May", "time"),
            Part("."),
        ),
        (Part("Spain", "place", is_moved=True), Part(" is cold.")),
    )


def test_a_time_at_the_start_gets_its_capital_and_leaves_it_behind() -> None:
    first = marked("Winter is cold.", ("Winter", Kind.TIME))
    second = marked("Bees sleep in the autumn.", ("the autumn", Kind.TIME))
    shown = [said(each) for each in swap_sentences(first, second, Kind.TIME, COMMON)]
    assert shown == ["The autumn is cold.", "Bees sleep in winter."]
    place = marked("Spain is hot.", ("Spain", Kind.PLACE))
    assert swap_sentences(first, place, Kind.PLACE, COMMON) == ()  # nothing to change over


@st.composite
def sentences(draw: st.DrawFn) -> Marked:
    """Any text with any marks that stand apart."""
    text = draw(st.text(min_size=1, max_size=30))
    ends = sorted(set(draw(st.lists(st.integers(0, len(text)), max_size=8))))
    couples = list(zip(ends[::2], ends[1::2], strict=False))
    return Marked(text, tuple(Mark(start, end, draw(st.sampled_from(Kind))) for start, end in couples))


@given(sentences())
def test_parts_put_together_are_the_sentence(sentence: Marked) -> None:
    assert said(parts(sentence)) == sentence.text


@given(sentences(), sentences(), st.sampled_from(Kind))
def test_what_is_not_changed_over_stays_as_it_was(first: Marked, second: Marked, kind: Kind) -> None:
    for before, after in zip((first, second), swap_sentences(first, second, kind, COMMON), strict=False):
        assert [part for part in after if not part.is_moved and part.kind != kind.value] == [
            part for part in parts(before) if part.kind != kind.value
        ]


def test_a_view_swaps_only_what_both_sentences_share() -> None:
    pair = (
        marked("Spain is hot in May.", ("Spain", Kind.PLACE), ("May", Kind.TIME)),
        marked("Peru is cold in July.", ("Peru", Kind.PLACE), ("July", Kind.TIME)),
    )
    keywords = ["Spain", "May", "snow"]
    found = view(keywords, pair, Context.GEO, COMMON)
    assert [swap.kind for swap in found.swaps] == [Kind.PLACE]
    assert [swap.kind for swap in view(keywords, pair, Context.BOTH, COMMON).swaps] == [Kind.PLACE, Kind.TIME]
    assert found.chips == (
        Chip("Spain", "place", is_held=True),
        Chip("May", "time", is_held=True),
        Chip("snow", "", is_held=False),
    )


def test_every_example_of_a_build_is_shown_with_the_marks_of_its_entities(tiny: Any) -> None:
    examples = builds.read_build_table(tiny.store, tiny.build, "examples")
    found = sheets(examples, builds.read_build_table(tiny.store, tiny.build, "entities"))
    assert {sheet.pair.example_id for sheet in found.by_key.values()} <= set(examples["example_id"])
    for sheet in found.by_key.values():
        shown = found.view(sheet.pair)
        assert tuple(map(said, shown.sentences)) == sheet.pair.content.statements
        assert shown.swaps
        assert all(chip.is_held for chip in shown.chips)
