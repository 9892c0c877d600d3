"""How far people agree: worked by hand, and equal to scikit-learn and the krippendorff package."""

import math
import warnings

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from review_support import decision
from situatedgen.review.active_decisions import active_decisions
from situatedgen.review.agreement import (
    MISSING,
    OVERALL,
    Between,
    Estimate,
    Work,
    agreement,
    alpha,
    estimate,
    kappa,
    percent,
)
from situatedgen.review.criteria import FILTER
from situatedgen.vocabulary import Mode

VALUES = 3
CODES = st.integers(0, VALUES - 1)


def _array(rows: list[tuple[int, ...]]) -> np.ndarray:
    return np.array(rows, dtype=np.int64)


def test_kappa_worked_by_hand():
    """Of 50 pairs both keep 20 and both drop 15; anna alone keeps 5, ben alone 10.

    They agree on 35 of 50: 0.70. Anna keeps 25, ben 30, so by chance they agree on
    0.5 * 0.6 + 0.5 * 0.4 = 0.50. Kappa is (0.70 - 0.50) / (1 - 0.50) = 0.40.
    """
    codes = _array([(0, 0)] * 20 + [(0, 1)] * 5 + [(1, 0)] * 10 + [(1, 1)] * 15)
    assert kappa(codes, 2).score() == pytest.approx(0.40)
    assert percent(codes, 2).score() == pytest.approx(0.70)


def test_alpha_of_the_textbook_with_missing_answers():
    """The example with three coders and fifteen units, of which alpha is 0.691 for named values."""
    missing = MISSING
    coders = [
        [missing] * 5 + [3, 4, 1, 2, 1, 1, 3, 3, missing, 3],
        [1, missing, 2, 1, 3, 3, 4, 3] + [missing] * 7,
        [missing, missing, 2, 1, 3, 4, 4, missing, 2, 1, 1, 3, 3, missing, 4],
    ]
    codes = np.array(coders, dtype=np.int64).T
    assert alpha(codes, 5).score() == pytest.approx(0.691358, abs=1e-6)


@given(st.lists(st.tuples(CODES, CODES), min_size=1, max_size=40))
def test_kappa_is_that_of_scikit_learn(rows):
    codes = _array(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = cohen_kappa_score(codes[:, 0], codes[:, 1], labels=[0, 1, 2])
    found = kappa(codes, VALUES).score()
    assert found == pytest.approx(expected, nan_ok=True)


@given(st.lists(st.tuples(*[st.integers(MISSING, VALUES - 1)] * 4), min_size=1, max_size=25), st.booleans())
def test_alpha_is_that_of_the_krippendorff_package(rows, is_ordinal):
    codes = _array(rows)
    judged = codes[(codes != MISSING).sum(axis=1) >= 2]
    assume(len(np.unique(judged[judged != MISSING])) > 1)
    reliability = np.where(codes == MISSING, np.nan, codes.astype(float)).T
    level = "ordinal" if is_ordinal else "nominal"
    expected = krippendorff.alpha(reliability, level_of_measurement=level, value_domain=[0, 1, 2])
    assert alpha(codes, VALUES, is_ordinal=is_ordinal).score() == pytest.approx(expected)


@given(st.lists(st.tuples(*[st.integers(MISSING, VALUES - 1)] * 3), min_size=1, max_size=20))
def test_percent_is_the_share_of_couples_that_agree(rows):
    couples = [
        (row[one], row[two])
        for row in rows
        for one in range(3)
        for two in range(one)
        if MISSING not in (row[one], row[two])
    ]
    expected = sum(left == right for left, right in couples) / len(couples) if couples else math.nan
    assert percent(_array(rows), VALUES).score() == pytest.approx(expected, nan_ok=True)


@given(st.lists(st.tuples(CODES, CODES), min_size=1, max_size=30), st.permutations([0, 1, 2]))
def test_coefficients_do_not_care_who_comes_first_or_what_answers_are_called(rows, names):
    codes = _array(rows)
    renamed = np.array(names)[codes[:, ::-1]]
    for coefficient in (kappa, alpha, percent):
        assert coefficient(codes, VALUES).score() == pytest.approx(coefficient(renamed, VALUES).score(), nan_ok=True)


def test_nothing_is_claimed_where_everyone_always_says_the_same():
    codes = _array([(0, 0)] * 10)
    assert estimate(kappa(codes, 2), seed=1) == Estimate(None)
    assert estimate(alpha(codes, 2), seed=1) == Estimate(None)
    assert estimate(percent(codes, 2), seed=1) == Estimate(1.0, 1.0, 1.0)
    # Of one pair kept and one dropped, half of the draws take one twice and tell nothing: kappa is 1 in all others.
    assert estimate(kappa(_array([(0, 0), (1, 1)]), 2), seed=1) == Estimate(1.0, 1.0, 1.0)


def test_the_interval_covers_what_it_should():
    """Of many small samples of raters who agree beyond chance with kappa 0.6, nine in ten intervals or more hold it."""
    chance, covered = np.random.default_rng(7), 0
    for _ in range(120):
        truth = chance.integers(0, 2, 100)
        # Each answers at random with probability 1 - sqrt(0.6): kappa is then 0.6.
        guesses = chance.integers(0, 2, (100, 2))
        codes = np.where(chance.random((100, 2)) < 0.6**0.5, truth[:, None], guesses)
        found = estimate(kappa(codes, 2), seed=1, resamples=400)
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= 0.6 <= found.high
    assert covered >= 0.9 * 120


def test_an_interval_is_the_same_every_time_and_narrows_with_the_number_of_pairs():
    few, many = _array([(0, 0), (1, 1), (0, 1), (1, 1)] * 5), _array([(0, 0), (1, 1), (0, 1), (1, 1)] * 100)
    one = estimate(kappa(few, 2), seed=3)
    assert one == estimate(kappa(few, 2), seed=3)
    more = estimate(kappa(many, 2), seed=3)
    assert one.value == pytest.approx(more.value)
    assert more.high - more.low < (one.high - one.low) / 2


MADE = active_decisions(
    [
        decision("anna", "Rome", seconds=4),
        decision("ben", "Rome", seconds=9),
        decision("anna", "Oslo", "sound", seconds=6),
        decision("ben", "Oslo", "sound", "contrast", seconds=11),
        decision("anna", "Bern", seconds=20),
        decision("ben", "Bern", "contrast", seconds=10),
        decision("anna", "Graz", "contrast", seconds=8),
        decision("ben", "Graz", "contrast", seconds=10),
        decision("anna", "Linz", seconds=8),
        decision("cleo", "Wien", "sound", seconds=1),
        decision("dora", "Bern", mode=Mode.ADJUDICATE),
        decision("anna", "Rome", "antithesis", mode=Mode.QUALITY),
    ]
)


def test_the_report_counts_by_question_by_couple_and_by_person():
    """Four pairs are shared; on validity anna and ben differ in Bern alone.

    Valid: anna keeps 2 of 4, ben 1 of 4; they agree on 3 of 4; by chance on 2/4 * 1/4 + 2/4 * 3/4 = 1/2: kappa 1/2.
    Sound: both call the same one of four unsound: kappa 1. Contrast: anna 1 fault, ben 3, agreeing on 2 of 4;
    by chance on 1/4 * 3/4 + 3/4 * 1/4 = 3/8: kappa (1/2 - 3/8) / (5/8) = 1/5.
    """
    report = agreement(MADE, mode=Mode.FILTER, seed=1)
    assert report.overall.criterion == OVERALL
    assert [each.criterion for each in report.criteria] == list(FILTER.names)
    kappas = {each.criterion: each.between[0].kappa.value for each in (report.overall, *report.criteria)}
    assert kappas == {
        OVERALL: pytest.approx(0.5),
        "keywords": None,
        "situated": None,
        "sound": pytest.approx(1.0),
        "contrast": pytest.approx(0.2),
        "dependent": None,
    }
    assert report.overall.pairs == 4
    assert report.overall.percent.value == pytest.approx(0.75)
    assert [(each.left, each.right, each.pairs) for each in report.overall.between] == [
        ("anna", "ben", 4),
        ("anna", "cleo", 0),
        ("ben", "cleo", 0),
    ]
    assert report.overall.between[1] == Between("anna", "cleo", 0, Estimate(None), Estimate(None))
    assert report.people == (Work("anna", 5, 3, 8.0), Work("ben", 4, 1, 10.0), Work("cleo", 1, 0, 1.0))


def test_nobody_and_one_annotator_agree_with_nobody():
    nobody, one = agreement([], mode=Mode.FILTER), agreement([decision("anna", "Rome")], mode=Mode.FILTER)
    assert (nobody.people, nobody.overall.alpha, nobody.overall.between) == ((), Estimate(None), ())
    assert (one.overall.pairs, one.overall.percent) == (0, Estimate(None))
