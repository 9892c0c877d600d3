"""True or false: a place or time swapped into a statement that is bound to another, and nothing else changed."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import cases
from situatedgen.dataset.boolqa import (
    BOOLQA,
    Moment,
    Named,
    Slot,
    _squash_all,
    make_false,
    moment,
    read,
    slots,
    squash,
    squash_texts,
    swap,
)
from situatedgen.rules.places import is_elsewhere, nations, takes_article
from situatedgen.schemas import EXAMPLES
from situatedgen.testing import keywords, statements
from situatedgen.vocabulary import Label, Split
from storage.builds import Tables
from table_support import example_row, marked


def known(text):
    return read(*marked(text))


@pytest.mark.parametrize(("left", "right", "expected"), cases("boolqa", "twins", "left", "right", "expected"))
def test_a_twin_is_false_and_in_good_english_or_there_is_none(left, right, expected):
    made = make_false(known(left), known(right))
    assert (made.text if made else "") == expected


PLACES = sorted(name for name in nations() if not takes_article(name))
THINGS = ("[Bill Gates/PERSON] was born", "The [Grand Hotel/FAC] stands", "[Lima/GPE] is")


@given(
    things=st.tuples(st.sampled_from(THINGS), st.sampled_from(THINGS)),
    places=st.tuples(st.sampled_from(PLACES), st.sampled_from(PLACES)),
)
def test_swapping_twice_gives_the_original(things, places):
    left, right = (known(f"{thing} in [{place}/GPE].") for thing, place in zip(things, places, strict=True))
    made, other = make_false(left, right), make_false(right, left)
    assert (made is None) == (other is None) == (not is_elsewhere(nations()[places[0]], nations()[places[1]]))
    if made and other:
        assert made.text == left.text.replace(f" in {places[0]}.", f" in {places[1]}.")
        assert swap(made.text, in_place(made.text, made.slot, made.given), made.slot) == left.text
        assert swap(other.text, in_place(other.text, other.slot, other.given), made.given) == right.text


def in_place(text, slot, given):
    """What now stands in a slot, found in the text anew."""
    return next(found for found in slots(text, [Named(slot.start, slot.start + len(given.text), Label.GPE)]))


@pytest.mark.parametrize(("text", "expected"), cases("boolqa", "moments", "text", "expected"))
def test_times_are_known_by_kind(text, expected):
    assert moment(text) == (Moment(*expected) if expected else None)


def test_months_go_round():
    january, april, december = (Moment("month", value) for value in (0, 3, 11))
    assert not january.is_apart(december)
    assert not january.is_apart(april)
    assert december.is_apart(april)


def test_a_slot_holds_its_article():
    text, words = marked("The [Army/ORG] serves in [the United States/GPE].")
    assert slots(text, words) == (Slot(19, 36, "the United States", "in", slots(text, words)[0].context, "US"),)


@given(text=st.text(st.characters(max_codepoint=0x24F), max_size=20))
def test_texts_are_compared_alike_one_by_one_and_together(text):
    assert pl.select(squash_texts(pl.lit(text))).item() == squash(text)
    assert _squash_all(pl.Series([text], dtype=pl.String)) == {squash(text)}


TEXTS = {
    "a": ("Lima is in Peru.", ("Lima", Label.GPE), ("Peru", Label.GPE)),
    "b": ("Oslo is in Norway.", ("Oslo", Label.GPE), ("Norway", Label.GPE)),
    "c": ("Oslo is in Peru.", ("Oslo", Label.GPE), ("Peru", Label.GPE)),  # a source says so: not to be called false
    "d": ("Rome is in Italy.", ("Rome", Label.GPE), ("Italy", Label.GPE)),
}


def tables(*pairs):
    stated = statements(*((name, text) for name, (text, *_) in TEXTS.items()))
    words = keywords(stated, *((name, *word) for name, (_, *found) in TEXTS.items() for word in found))
    rows = [
        example_row(left, right, similarity=likeness, licences=(f"of {left}", f"of {right}"))
        for left, right, likeness in pairs
    ]
    return {"examples": EXAMPLES.frame(rows), "statements": stated, "keywords": words}


def test_each_statement_stands_once_true_and_once_false():
    """`Oslo is in Peru` is a statement, so `b` has to swap with `d`; the most alike pair that will do is taken."""
    parts = BOOLQA.parts(tables(("a", "b", 0.9), ("b", "d", 0.8), ("a", "d", 0.7)))
    assert parts[Split.TRAIN].rows() == [
        ("a", "Lima is in Peru.", True, "GEO", "Peru", "Peru", ["a"], ["of a"]),
        ("a~b", "Lima is in Norway.", False, "GEO", "Norway", "Peru", ["a", "b"], ["of a", "of b"]),
        ("b", "Oslo is in Norway.", True, "GEO", "Norway", "Norway", ["b"], ["of b"]),
        ("b~d", "Oslo is in Italy.", False, "GEO", "Italy", "Norway", ["b", "d"], ["of b", "of d"]),
        ("d", "Rome is in Italy.", True, "GEO", "Italy", "Italy", ["d"], ["of d"]),
        ("d~b", "Rome is in Norway.", False, "GEO", "Norway", "Italy", ["d", "b"], ["of d", "of b"]),
    ]


def test_the_laws_hold_for_the_sample(tiny):
    made = Tables(tiny.store, tiny.build)
    parts = BOOLQA.parts(made)
    every = pl.concat([part.with_columns(split=pl.lit(split.value)) for split, part in parts.items()])
    texts = every.with_columns(text=squash_texts(pl.col("statement")))
    assert every.height >= 10
    assert texts["text"].is_unique().all()
    assert all(part["label"].sum() * 2 == part.height for part in parts.values())
    stated = made["statements"].filter(pl.col("verdict") == "kept")
    assert texts.filter("label").join(stated, left_on="statement", right_on="text", how="anti").is_empty()
    truths = stated.select(text=squash_texts(pl.col("text")))
    assert texts.filter(~pl.col("label")).join(truths, on="text", how="semi").is_empty()
    homes = made["examples"].select("split", statement_id=pl.col("ids")).explode("statement_id").unique()
    used = every.select("split", statement_id=pl.col("ids")).explode("statement_id").unique()
    assert used.join(homes.cast({"split": pl.String}), on=["split", "statement_id"], how="anti").is_empty()
