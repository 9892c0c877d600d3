"""Configurations: the same examples in other shapes, never across splits."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from situatedgen.dataset.configuration import KEYWORD2TEXT, Configuration, Field
from situatedgen.dataset.files import CONFIGURATIONS, configuration
from situatedgen.errors import SchemaError, SettingsError
from situatedgen.evaluation.predictions import Example
from situatedgen.schemas import EXAMPLES
from situatedgen.training.train import rows as training_rows
from situatedgen.vocabulary import Split
from table_support import example_row

words = st.text("abcAé ,'", min_size=1, max_size=6)
drawn = st.lists(
    st.tuples(st.sampled_from([*Split]), st.lists(words, max_size=4), st.lists(words, min_size=2, max_size=2)),
    max_size=8,
)


def tables(rows):
    made = [
        example_row(f"{n:03}", "x", split, texts=texts, words=[(word, 0) for word in keywords], licences=("mit", "x"))
        for n, (split, keywords, texts) in enumerate(rows)
    ]
    return {"examples": EXAMPLES.frame(made)}


@given(rows=drawn)
def test_keyword2text_reads_and_writes_what_a_training_does(rows):
    """The plain format of the training code, both orders for train alone."""
    parts = KEYWORD2TEXT.parts(tables(rows))
    for split in Split:
        examples = [
            Example(str(number), tuple(keywords), (0,) * len(keywords), (texts[0], texts[1]))
            for number, (found, keywords, texts) in enumerate(rows)
            if found is split
        ]
        expected = training_rows(examples, "{keywords}", both_orders=split is Split.TRAIN)
        assert parts[split].select("source", "target").rows() == [(row.source, row.target) for row in expected]


def test_licences_follow_the_order_of_the_statements():
    parts = KEYWORD2TEXT.parts(tables([(Split.TRAIN, ["x"], ["A.", "B."])]))
    assert parts[Split.TRAIN].select("target", "licences").rows() == [
        ("A. B.", ["mit", "x"]),
        ("B. A.", ["x", "mit"]),
    ]


def test_fields_come_in_their_order_and_types():
    made = Configuration(
        name="x",
        title="",
        meaning="",
        fields={"b": Field(pl.Int64(), ""), "a": Field(pl.String(), "")},
        rows=lambda _: pl.DataFrame({"a": [1, 2], "b": ["3", "4"], "split": ["dev", "test"], "c": [0, 0]}),
        folder="x",
    )
    parts = made.parts({})
    assert_frame_equal(parts[Split.DEV], pl.DataFrame({"b": [3], "a": ["1"]}))
    assert parts[Split.TRAIN].is_empty()


def test_rows_without_a_field_are_refused():
    made = Configuration("x", "", "", {"a": Field(pl.Int64(), "")}, lambda _: pl.DataFrame({"b": [1]}), "x")
    with pytest.raises(SchemaError, match="configuration 'x': no column a, split; found"):
        made.parts({})


def test_configurations_are_told_apart():
    for told in ("name", "folder", "meaning"):
        assert len({getattr(each, told) for each in CONFIGURATIONS}) == len(CONFIGURATIONS)
    assert configuration("keyword2text") is KEYWORD2TEXT
    with pytest.raises(SettingsError, match=r"unknown configuration 'keyword2txt'.*did you mean 'keyword2text'"):
        configuration("keyword2txt")
