"""Which choice a label means, in sources of one's own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import cases
from situatedgen.errors import RecordError
from situatedgen.sources.custom import choice_text

CHOICES = ["red", "3", "B"]
OBJECTS = [{"label": "x", "text": "red"}, {"label": "y", "text": "blue"}]


@pytest.mark.parametrize(
    ("choices", "label", "reading", "expected"), cases("labels", "labels", "choices", "label", "reading", "expected")
)
def test_a_label_finds_its_choice(choices: list[object], label: object, reading: str, expected: str) -> None:
    assert choice_text(choices, label, "gold", reading) == expected


@pytest.mark.parametrize(
    ("choices", "label", "problem"),
    [
        (CHOICES, "B", "expected 'gold' to mean one choice, found 'B', which may mean '3' and 'B'; set `label_as`"),
        (["a", "b"], "green", "expected 'gold' to be among the choices 'a', 'b', found 'green'"),
        (["x", "y"], 2, "found '2'; set `label_as = \"number\"` if yours count from 1"),
        (["x", "y"], "9" * 5_000, "expected 'gold' to be among the choices"),
        (["x", "y"], True, "expected text in 'gold', found true or false: True"),
        (OBJECTS, "z", "expected 'gold' to be one of x, y, found 'z'"),
    ],
)
def test_a_label_that_finds_no_choice_or_two_is_refused(choices: list[object], label: object, problem: str) -> None:
    with pytest.raises(RecordError) as refused:
        choice_text(choices, label, "gold", "auto")
    assert problem in str(refused.value)


@given(texts=st.lists(st.text("abc ", min_size=2).map(str.strip).filter(lambda text: len(text) > 1), min_size=2,
                      max_size=6, unique=True), data=st.data())  # fmt: skip
def test_letter_index_number_and_text_agree(texts: list[str], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(texts) - 1))
    labels = {"letter": chr(ord("A") + at), "index": at, "number": at + 1, "text": texts[at]}
    assert {choice_text(texts, label, "gold", how) for how, label in labels.items()} == {texts[at]}
