"""Baselines: each answers what it can see, and nothing else; the table says how surely."""

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from situatedgen.errors import SchemaError, SettingsError
from situatedgen.filtering.baselines import (
    QUESTIONS,
    Accuracy,
    Sight,
    Tools,
    halves,
    header,
    interval,
    measure_baselines,
    restrict_to_sight,
    rows,
    tabulate_questions,
)
from situatedgen.filtering.pool import POOLS, assign_parts, pool_of
from situatedgen.filtering.settings import BaselineParams
from situatedgen.seeds import generator

CHANCE = pytest.approx(0.25, abs=0.12)
Row = Callable[[int, int], tuple[str, str, str]]


class LetterEncoder:
    """Texts as how often each letter stands in them, of unit length."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        found = np.asarray([[text.lower().count(letter) for letter in "abcdefgh"] for text in texts], dtype=np.float32)
        return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-6)


def asked(row: Row, *, count: int = 160, splits: bool = True) -> pl.DataFrame:
    parts = ("train", "train", "train", "dev", "test")
    made = [
        (f"{item:04d}", f"group {item // 4}", parts[item // 4 % 5] if splits else "", number, *row(item, number))
        for item in range(count)
        for number in range(4)
    ]
    return QUESTIONS.frame(made)


def accuracies_of(questions: pl.DataFrame, *models: str, folds: int = 0) -> list[Accuracy]:
    params = BaselineParams.model_validate({"models": models, "size": 16, "runs": 1, "folds": folds})
    return list(measure_baselines(questions, Tools(params, torch.device("cpu"), LetterEncoder)))


def found(questions: pl.DataFrame, *models: str, folds: int = 0) -> dict[tuple[str, str, str], float]:
    return {(one.model, one.sight, one.part): one.accuracy for one in accuracies_of(questions, *models, folds=folds)}


def told_by(place: str) -> Row:
    """Right candidates say "so" in one of their three texts, wrong ones "no"."""

    def row(item: int, number: int) -> tuple[str, str, str]:
        word = " no" if number else " so"
        context, start, ending = (f"{name} {item}{word * (name == place)}" for name in SEEING)
        return context, start, ending

    return row


SEEING = {"context": [Sight.WHOLE], "start": [Sight.SECOND, Sight.WHOLE], "ending": [*Sight]}


@pytest.mark.parametrize("model", ["bag", "bilstm"])
@pytest.mark.parametrize("place", SEEING)
def test_a_model_knows_what_it_sees(model: str, place: str) -> None:
    accuracies = found(asked(told_by(place)), model)
    for sight in Sight:
        assert (accuracies[model, sight, "test"] > 0.9) is (sight in SEEING[place])


def test_a_bilinear_layer_sees_what_goes_together() -> None:
    """The right ending has the letter of its context, which no model of the ending alone can know."""

    def row(item: int, number: int) -> tuple[str, str, str]:
        letters = "abcdefgh"
        place = generator(0, str(item)).randrange(8)
        return letters[place] * 3, "", letters[(place + 2 * number) % 8] * 2

    accuracies = found(asked(row, count=400), "bilinear")
    assert accuracies["bilinear", Sight.WHOLE, "test"] > 0.95
    assert accuracies["bilinear", Sight.ENDING, "test"] == CHANCE


def test_words_that_stand_once_tell_nothing() -> None:
    """Were words known by right candidates alone, all others would be unknown, and the answer with them."""

    def row(item: int, number: int) -> tuple[str, str, str]:
        return "Context.", "It", f"w{generator(0, str(item), str(number)).getrandbits(40)} ends"

    assert found(asked(row, count=200), "bag", folds=2)["bag", Sight.ENDING, "held out"] == CHANCE


def test_the_shortest_is_taken_and_ties_are_shared() -> None:
    def row(item: int, number: int) -> tuple[str, str, str]:
        return "Here.", "", "so" if number == 0 else "so it is" if item % 2 else "no"

    accuracies = found(asked(row), "length")
    assert accuracies["length", Sight.ENDING, "dev"] == pytest.approx((1 + 0.25) / 2)


def test_without_splits_groups_are_held_out_in_turn() -> None:
    questions = asked(told_by("ending"), count=40, splits=False)
    told = accuracies_of(questions, "length", folds=3)
    assert [(one.part, one.questions) for one in told] == [("held out", 40)] * 3
    with pytest.raises(SettingsError, match="two groups"):
        accuracies_of(questions.with_columns(group=pl.lit("one")), "length", folds=3)


def test_questions_have_as_many_candidates_each() -> None:
    with pytest.raises(SchemaError, match="expected the same number of candidates"):
        restrict_to_sight(asked(told_by("ending"), count=8).slice(0, 31), Sight.WHOLE)


def test_a_situated_choice_is_cut_after_the_words_that_all_begin_with() -> None:
    table = [
        ("a", "g", number, f"First {number}.", f"The cod lives {end}")
        for number, end in enumerate(("near A.", "near B."))
    ]
    pool = pool_of(POOLS.frame(table), wrong=1, population=9)
    made = tabulate_questions(pool, np.array([[0, 1]]), np.array([0]), {"a": "dev"})
    assert made.rows() == [
        ("a", "g", "dev", 0, "First 0.", "The cod lives near", "A."),
        ("a", "g", "dev", 1, "First 1.", "The cod lives near", "B."),
    ]


@given(st.lists(st.text("ab ", max_size=8), min_size=1, max_size=4))
def test_halves_are_the_whole(sentences: list[str]) -> None:
    for sentence, (start, ending) in zip(sentences, halves(sentences), strict=True):
        assert f"{start} {ending}".split() == sentence.split()


@given(share=st.floats(0, 1), count=st.integers(1, 500))
def test_an_interval_holds_its_share_and_narrows(share: float, count: int) -> None:
    low, high = interval(share, count)
    assert 0 <= low <= share + 1e-9
    assert share - 1e-9 <= high <= 1
    wider = interval(share, max(1, count // 4))
    assert wider[1] - wider[0] >= high - low - 1e-9


@given(sizes=st.lists(st.integers(1, 40), min_size=5, max_size=30), seed=st.integers(0, 9))
def test_parts_are_whole_groups_and_all_are_filled(sizes: list[int], seed: int) -> None:
    groups = [f"g{number}" for number, size in enumerate(sizes) for _ in range(size)]
    part = assign_parts(groups, count=5, seed=seed, purpose="a")
    assert len({*zip(groups, part.tolist(), strict=True)}) == len(sizes)
    assert set(part.tolist()) == set(range(5))
    assert np.array_equal(part, assign_parts(groups, count=5, seed=seed, purpose="a"))


def test_the_table_has_a_row_a_model_and_part_and_a_column_a_sight_and_time() -> None:
    before = tuple(Accuracy("bag", sight, "test", 100, 0.5, 0.4, 0.6) for sight in Sight)
    after = (Accuracy("bag", Sight.ENDING, "test", 80, 0.25, 0.17, 0.36),)
    results = {"before": before, "after": after}
    assert len(header(results)) == 2 + 3 * 2
    assert list(rows(results)) == [
        ("bag", "test (100 → 80)", "50.0 % (40–60)", "25.0 % (17–36)", *("50.0 % (40–60)", "–") * 2)
    ]
