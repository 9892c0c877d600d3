"""Adversarial filtering: its laws, with models that know exactly what they look for."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from filtering_support import TellModel, planted_pool
from process_support import running
from situatedgen.errors import SchemaError, SettingsError
from situatedgen.filtering.adversarial import Checkpoints, Filtering, audit_pool, filter_pool
from situatedgen.filtering.pool import POOLS, Pool, accuracy, first_assignment, parts, pool_of, replace_easy
from situatedgen.filtering.settings import FilterParams

PARAMS = FilterParams(max_iterations=30, patience=12, min_fall=0.0)
POOL, MODEL = planted_pool(80, wrong=12, share=0.8), TellModel(noise=0.5)


@pytest.fixture(scope="module")
def undisturbed() -> Filtering:
    """The filtering that goes on without a stop and writes nothing."""
    return filter_pool(POOL, MODEL, PARAMS)


def rows(pool: Pool, assignment: np.ndarray) -> list[list[int]]:
    return (assignment - pool.truths[:, None]).tolist()


def test_a_planted_tell_is_removed() -> None:
    """Most wrong candidates carry "verily", right ones never: at first most questions are given away."""
    pool = planted_pool(400, wrong=20, share=0.9)
    params = PARAMS.model_copy(update={"max_iterations": 60, "patience": 40})
    found = filter_pool(pool, TellModel(noise=0.01), params)
    told = [["verily" in pool.second[row] for row in own] for own in found.last]
    assert found.history[0].accuracy > 0.6
    assert np.mean(told) < 0.05
    last = audit_pool(pool, TellModel(noise=0.01), found.last, params, times=5, purpose="last")
    assert last == {"tell": pytest.approx(0.25, abs=0.05)}


def test_truth_stays_and_no_candidate_is_given_twice() -> None:
    pool = planted_pool(60, wrong=9, share=0.5)
    found = filter_pool(pool, TellModel(noise=1.0), PARAMS)
    for own in (*rows(pool, found.first), *rows(pool, found.last)):
        assert len(set(own)) == PARAMS.wrong
        assert min(own) > 0
        assert max(own) <= 9


def test_a_model_that_sees_nothing_replaces_nothing() -> None:
    pool = planted_pool(40, wrong=6, share=0.5)
    found = filter_pool(pool, TellModel(word="never-there"), PARAMS)
    assert (found.first == found.last).all()
    rounds = PARAMS.patience + PARAMS.cycle
    assert [(one.accuracy, one.replaced) for one in found.history] == [(0.25, 0)] * rounds


SCORES = st.lists(st.integers(-3, 3), min_size=5, max_size=12)


@given(scores=SCORES, seed=st.integers(0, 9), most=st.integers(1, 3))
def test_a_replacement_is_easy_and_what_comes_is_preferred(scores: list[int], seed: int, most: int) -> None:
    found = np.asarray(scores, dtype=np.float32)
    assigned = np.sort(np.random.default_rng(seed).permutation(np.arange(1, len(scores)))[:3])
    after = replace_easy(assigned, found, most=most)
    gone, come = set(assigned) - set(after), set(after) - set(assigned)
    assert len(after) == len(set(after)) == 3
    assert 0 not in after
    assert len(gone) == len(come) <= most
    assert all(found[one] < found[0] for one in gone)
    assert all(found[one] > found[0] for one in come)
    easy = [one for one in assigned if found[one] < found[0]]
    hard = [one for one in range(1, len(scores)) if one not in assigned and found[one] > found[0]]
    assert len(gone) == min(most, len(easy), len(hard))
    assert all(found[one] <= found[other] for one in gone for other in set(easy) - gone)
    assert all(found[one] >= found[other] for one in come for other in set(hard) - come)


@given(sizes=st.lists(st.integers(1, 9), min_size=2, max_size=9), seed=st.integers(0, 99))
def test_groups_are_never_split(sizes: list[int], seed: int) -> None:
    groups = [f"g{number}" for number, size in enumerate(sizes) for _ in range(size)]
    table = [(f"{n:03d}", group, c, "a", f"b{c}") for n, group in enumerate(groups) for c in range(5)]
    pool = pool_of(POOLS.frame(table), wrong=3, population=4)
    train, held = parts(pool.groups, train_share=0.8, seed=seed, purpose="0")
    assert sorted([*train, *held]) == list(range(len(groups)))
    assert {pool.groups[one] for one in train}.isdisjoint({pool.groups[one] for one in held})
    assert len(held) >= round(0.2 * len(groups))


def test_ties_count_their_part() -> None:
    """A model that says the same of all four is right once in four; one of two ties makes a half."""
    scores = np.array([[1, 1, 1, 1], [2, 2, 1, 1], [0, 1, 0, 0]], dtype=np.float32)
    assert accuracy(scores) == pytest.approx((0.25 + 0.5 + 0) / 3)


def test_first_assignment_of_an_item_depends_on_its_id_alone() -> None:
    pool, fewer = planted_pool(30, wrong=8, share=0.5), planted_pool(10, wrong=8, share=0.5)
    whole = rows(pool, first_assignment(pool, wrong=3, seed=4))
    assert rows(fewer, first_assignment(fewer, wrong=3, seed=4)) == whole[:10]


def test_any_iteration_can_be_gone_on_from(undisturbed: Filtering, tmp_path: Path) -> None:
    """And a finished filtering goes on when more is asked."""
    few = PARAMS.model_copy(update={"max_iterations": 3})
    assert len(filter_pool(POOL, MODEL, few, folder=tmp_path).history) == 3 < len(undisturbed.history)
    for upto in (None, 0, 1, len(undisturbed.history) - 2):
        again = filter_pool(POOL, MODEL, PARAMS, folder=tmp_path, upto=upto)
        assert (again.last == undisturbed.last).all()
        assert [point.members for point in again.history] == [point.members for point in undisturbed.history]


def test_a_damaged_iteration_is_made_again_with_all_after_it(undisturbed: Filtering, tmp_path: Path) -> None:
    filter_pool(POOL, MODEL, PARAMS, folder=tmp_path)
    path = tmp_path / "iterations" / "00002.parquet"
    path.write_bytes(path.read_bytes()[:-40])
    assert len(list(Checkpoints(tmp_path, POOL).read())) == 2
    assert (filter_pool(POOL, MODEL, PARAMS, folder=tmp_path).last == undisturbed.last).all()


def test_another_filtering_is_refused(tmp_path: Path) -> None:
    pool = planted_pool(20, wrong=6, share=0.5)
    filter_pool(pool, TellModel(), PARAMS, folder=tmp_path / "a")
    with pytest.raises(SettingsError, match="other items or settings"):
        filter_pool(pool, TellModel(), PARAMS.model_copy(update={"seed": 1}), folder=tmp_path / "a")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "thesis.txt").touch()
    with pytest.raises(SettingsError, match="contains files but no filtering"):
        filter_pool(pool, TellModel(), PARAMS, folder=tmp_path / "b")


KILLED = """
import sys
from pathlib import Path
from situatedgen.filtering.adversarial import filter_pool
from situatedgen.filtering.settings import FilterParams
from filtering_support import TellModel, planted_pool

params = FilterParams(max_iterations=30, patience=12, min_fall=0.0)
pool = planted_pool(80, wrong=12, share=0.8)
said = lambda one: print(one.number, flush=True)
filter_pool(pool, TellModel(noise=0.5), params, folder=Path(sys.argv[1]), listener=said)
"""


@pytest.mark.slow
def test_killed_at_any_iteration_it_ends_the_same(undisturbed: Filtering, tmp_path: Path) -> None:
    for kills in range(3):
        with running(KILLED, tmp_path / "a") as script:
            for _ in range(2):
                script.read()
        assert len(list((tmp_path / "a" / "iterations").glob("*.parquet"))) >= 2 * (kills + 1)
    found = filter_pool(POOL, MODEL, PARAMS, folder=tmp_path / "a")
    assert (found.last == undisturbed.last).all()
    assert [one.accuracy for one in found.history] == [one.accuracy for one in undisturbed.history]


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ([("a", "g", 1, "x", "y")], "no right candidate"),
        ([("a", "g", 0, "x", "y"), ("a", "g", 2, "x", "z")], "a gap"),
        ([("a", "g", 0, "x", "y"), ("a", "g", 1, "x", "y")], "twice"),
        ([("a", "g", 0, "x", "y"), ("a", "h", 1, "x", "z")], "two groups"),
    ],
)
def test_a_pool_that_is_none_is_refused(table: list[tuple[object, ...]], said: str) -> None:
    with pytest.raises(SchemaError, match=said):
        pool_of(POOLS.frame(table), wrong=1, population=9)


def test_items_with_too_few_wrong_candidates_are_left_out() -> None:
    table = [(item, "g", c, "x", f"y{c}") for item, size in (("a", 3), ("b", 4), ("c", 9)) for c in range(size)]
    pool = pool_of(POOLS.frame(table), wrong=3, population=5)
    assert pool.item_ids == ("b", "c")
    assert pool.sizes.tolist() == [3, 5]
    assert pool.second[pool.truths[1]] == "y0"


def test_one_group_alone_cannot_be_filtered() -> None:
    pool = planted_pool(5, wrong=5, share=0.5)
    with pytest.raises(SettingsError, match="at least two groups"):
        filter_pool(pool, TellModel(), PARAMS)


def test_an_audit_replaces_nothing() -> None:
    """Of a question whose three wrong candidates all tell the right answer is known; of one with none, one in four."""
    pool = planted_pool(50, wrong=6, share=1.0)
    telling, free = (pool.truths[:, None] + np.array([numbers]) for numbers in ([4, 5, 6], [1, 2, 3]))
    assert audit_pool(pool, TellModel(), telling, PARAMS, times=2, purpose="a") == {"tell": 1.0}
    assert audit_pool(pool, TellModel(), free, PARAMS, times=2, purpose="a") == {"tell": 0.25}
