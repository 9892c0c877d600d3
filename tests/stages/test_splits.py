"""Splits: whole communities, never beyond their share, and nothing in two of them."""

import logging
from collections import Counter

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from situatedgen.errors import LeakError
from situatedgen.params import SplitParams
from situatedgen.rules.assignment import capacity, pack_randomly
from situatedgen.rules.splits import PlacedStatement, Placement, fold_case, group_templates, leaks
from situatedgen.schemas import SPLITS, VERDICT, check
from situatedgen.stages import splits as splits_module
from situatedgen.stages.splits import splits
from table_support import split_tables

TRAIN, DEV, TEST = "train", "dev", "test"


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("Rome is in Italy.", "rome is in italy", True),  # case and the final period
        ("It's in the U.S.", "It’s in the US.", True),  # quotes and dots
        ("A well-known city.", "A well known city.", True),  # hyphen or space
        ("Café in Paris.", "Cafe\u0301 in Paris.", True),  # one letter or letter and accent
        ("Rome is in Italy.", "Rome is not in Italy.", False),  # another sentence
        ("[UNK] is in [UNK].", "[UNK] is [UNK].", False),  # another template
        ("…", "!", False),  # nothing but punctuation stands for itself
    ],
)
def test_texts_are_compared_without_case_and_punctuation(left, right, same):
    assert (fold_case(left) == fold_case(right)) is same


@given(st.text(st.characters(max_codepoint=0x7F)))
def test_a_text_of_ascii_is_folded_as_any_other(text):
    assert fold_case(f"a{text}é") == fold_case(f"a{text}") + "é"


@pytest.mark.parametrize(
    ("share", "total", "most"),
    [
        (0.25, 100, 25),  # exact
        (0.29, 100, 29),  # 0.29 * 100 is 28.999999999999996
        (0.15, 10, 1),  # rounded down: a share is a limit
        (0.0, 10, 0),  # no share, no room
    ],
)
def test_room_is_counted_in_decimals(share, total, most):
    assert capacity(share, total) == most


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([], []),  # nothing to deal
        ([7], [TRAIN]),  # one community is train's
        ([80, 20], [TRAIN, TEST]),  # two: the larger trains
        ([10, 80, 10], [DEV, TRAIN, TEST]),  # one each
        ([20, 10, 70], [TEST, DEV, TRAIN]),  # too big for dev, but not for test
        ([50, 40, 10], [TRAIN, TRAIN, TEST]),  # only one is small enough: test comes before dev
        ([40, 30, 30], [TRAIN, TRAIN, TRAIN]),  # none fits: no share is exceeded
        (
            [5, 5, 5, 5, 5, 5, 5, 5, 5, 55],
            [DEV, TEST, TEST, DEV, TEST, TEST, DEV, TEST, TRAIN, TRAIN],
        ),  # by need: test has 20, 15, 10, 5 of 25 free and dev 10, 5 of 15, until only train has room
    ],
)
def test_communities_are_dealt(sizes, expected):
    assert pack_randomly(sizes, test_share=0.25, dev_share=0.15) == expected


def test_equal_communities_spread_over_all_three_splits():
    """Twenty of 5 pairs; rooms 25, 15, 60. The last is train's, 0 starts dev, 1 test: free are 20/25, 10/15,
    55/60. The largest free part takes the next: train, train (45/60), test (15/25), train (40/60); now dev
    (10/15) ties with train and comes first; and so on until every room is exactly full.
    """
    test, dev = {1, 4, 8, 12, 16}, {0, 6, 13}
    expected = [TEST if index in test else DEV if index in dev else TRAIN for index in range(20)]
    assert pack_randomly([5] * 20, test_share=0.25, dev_share=0.15) == expected


shares = st.floats(0, 0.99).map(lambda share: round(share, 2))


@given(sizes=st.lists(st.integers(1, 60), min_size=3, max_size=12), test_share=shares, dev_share=shares)
def test_every_split_gets_pairs_wherever_the_shares_allow_it(sizes, test_share, dev_share):
    """Beside the largest, train's, there are two that fit, one of them test and the other dev."""
    rest = sorted(sizes)[:-1]
    test_fits = [size for size in rest if size <= capacity(test_share, sum(sizes))]
    dev_fits = [size for size in rest if size <= capacity(dev_share, sum(sizes))]
    possible = bool(test_fits and dev_fits) and max(len(test_fits), len(dev_fits)) > 1
    found = pack_randomly(sizes, test_share=test_share, dev_share=dev_share)
    assert ({TRAIN, DEV, TEST} == set(found)) is possible


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ([("a", "A", "x", 0), ("b", "B", "y", 1)], {"a": 0, "b": 1}),  # nothing shared: all stay
        ([("a", "A", "x", 1), ("b", "B", "X.", 2), ("c", "C", "x", 2)], {"a": 2, "b": 2, "c": 2}),  # majority
        ([("a", "A", "x", 3), ("b", "B", "x", 1)], {"a": 1, "b": 1}),  # a tie: the larger community
        ([("a", "A", "x", 0), ("b", "a!", "y", 1)], {"a": 0, "b": 0}),  # one text, two templates
        (
            [("a", "A", "x", 2), ("b", "A", "y", 1), ("c", "C", "y", 1)],
            {"a": 1, "b": 1, "c": 1},
        ),  # a chain: a and b by text, b and c by template
    ],
)
def test_statements_alike_share_one_home(statements, expected):
    assert group_templates([PlacedStatement(*row) for row in statements]) == expected


def test_leaks_are_named_by_what_they_are():
    placements = [
        Placement("a", "Rome is old.", "[UNK] is old.", TRAIN),
        Placement("b", "rome is old", "[UNK] is [UNK].", DEV),
        Placement("c", "Paris is old.", "[UNK] is old", DEV),
        Placement("d", "Oslo is new.", "[UNK] is new.", DEV),
        Placement("d", "Oslo is new.", "[UNK] is new.", DEV),
    ]
    assert leaks(placements) == {
        "statement id": (),
        "statement text": ("romeisold",),
        "masked template": ("unkisold",),
    }


def test_every_pair_gets_a_verdict_and_kept_ones_a_split():
    """Community 0 is a to d, 1 is e to g. `g` has the template of `a` and moves to 0; so e-g is lost by the
    move, b-e crosses as before, and d-g crossed before but is at home now."""
    nodes = [
        *((name, name, f"t{name}", 0) for name in "bcd"),
        *((name, name, "ta", community) for name, community in [("a", 0), ("g", 1)]),
        *((name, name, f"t{name}", 1) for name in "ef"),
    ]
    edges = ["ab", "ac", "ad", "bc", "be", "dg", "ef", "eg"]
    found = splits(**split_tables(nodes, edges), params=SplitParams())
    fates = {left + right: tuple(fate) for _, left, right, *fate in found.rows()}
    assert fates == dict.fromkeys(["ab", "ac", "ad", "bc", "dg"], (0, TRAIN, "kept")) | {
        "ef": (1, TEST, "kept"),
        "be": (None, None, "crosses_communities"),
        "eg": (None, None, "template_moved"),
    }
    check(found, SPLITS, name="splits")


def many_communities(count):
    nodes = [(f"c{c:02}{side}", f"{c}{side}", f"t{c}{side}", c) for c in range(count) for side in "lr"]
    return nodes, [(f"c{c:02}l", f"c{c:02}r") for c in range(count)]


def test_the_seed_deals_anew_and_the_shares_are_met():
    inputs = split_tables(*many_communities(20))
    deals = [splits(**inputs, params=SplitParams(seed=seed))["split"].to_list() for seed in range(5)]
    assert [Counter(deal) for deal in deals] == [{TRAIN: 12, TEST: 5, DEV: 3}] * 5
    assert len({tuple(deal) for deal in deals}) == 5


def test_rejected_pairs_stay_out():
    inputs = split_tables(*many_communities(3))
    inputs["selected"] = inputs["selected"].with_columns(pl.lit("too_frequent").cast(VERDICT).alias("verdict"))
    assert_frame_equal(splits(**inputs, params=SplitParams()), SPLITS.empty)


def test_an_empty_split_is_said(caplog):
    with caplog.at_level(logging.WARNING):
        splits(**split_tables(*many_communities(2)), params=SplitParams())
    assert caplog.messages == ["no community fits into dev or test (2 communities)"]


def test_a_leak_stops_the_build(monkeypatch):
    """With nobody sent home, a template that all communities share stands in all three splits."""
    nodes, edges = many_communities(20)
    nodes = [(name, text, "t", community) for name, text, _, community in nodes]
    monkeypatch.setattr(
        splits_module, "group_templates", lambda placed: {node.statement_id: node.community for node in placed}
    )
    with pytest.raises(LeakError, match=r"^in two splits: masked template 't'$"):
        splits(**split_tables(nodes, edges), params=SplitParams())
