"""How breadth and readings are counted, and how the judge's readings are put into batches."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.quality import describe, effective_number, is_valid, wilson
from situatedgen.rules.selection import content_of

WORDS = st.text("ab", min_size=1, max_size=3)


@given(st.integers(1, 40), st.integers(1, 9))
def test_equally_large_families_are_as_many_as_they_are(families: int, size: int) -> None:
    assert effective_number(Counter({str(number): size for number in range(families)})) == pytest.approx(families)


def test_a_family_that_fills_almost_all_counts_for_little_more_than_one() -> None:
    """99 slots and 1: the entropy is 0.056, its exponential 1.06."""
    assert effective_number(Counter(a=99, b=1)) == pytest.approx(1.0576, abs=1e-4)


@given(st.integers(1, 200), st.data())
def test_an_interval_holds_its_share(number: int, data: st.DataObject) -> None:
    found = data.draw(st.integers(0, number))
    low, high = wilson(found, number)
    rounding = 1e-9
    assert 0 <= low + rounding <= found / number + 2 * rounding <= high + 3 * rounding <= 1 + 4 * rounding


def test_sizes_and_breadth_of_a_dataset() -> None:
    """Two pairs of three sentences, one of which stands twice: the top tenth is that one, with two of four slots."""
    rows = [
        {"statements": ["A", "B"], "context": "GEO", "probability": 0.5},
        {"statements": ["A", "C"], "context": "TEMP", "probability": 0.7},
    ]
    found = describe(rows, {"A": "be in", "B": "be in", "C": "live in"})
    assert found == ["2", "3", "1.8", "75.0% (be in)", "50.0%", "GEO 50%, TEMP 50%", "60.0%"]


def test_a_pair_is_valid_when_all_three_criteria_hold() -> None:
    whole = {"fluent": 1, "antithesis": 1, "dependent": 1, "true": 0, "common": 0}
    assert is_valid(whole)
    assert not any(is_valid({**whole, name: 0}) for name in ("fluent", "antithesis", "dependent"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("A day has twenty-four hours.", "The day has 24 hours"),
        ("It takes one year.", "It takes 1 year."),
    ],
)
def test_sentences_of_one_content_differ_in_case_articles_and_numerals_alone(one: str, other: str) -> None:
    assert content_of(one) == content_of(other)


@pytest.mark.weights
@pytest.mark.slow
@given(st.lists(st.tuples(WORDS, WORDS), max_size=60, unique=True))
def test_batches_of_readings_hold_each_reading_once(pairs: list[tuple[str, str]]) -> None:
    from benchmarks.train_judge import Reading, group_readings  # noqa: PLC0415

    readings = [Reading((left, left), (right, right), (1.0,) * 6, "best", 1) for left, right in pairs]
    grouped = group_readings(readings, random.Random(0))
    assert sorted(grouped, key=str) == sorted(readings, key=str)
