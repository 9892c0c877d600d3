"""Splits: whole communities, never beyond their share, and nothing in two of them."""

import logging
from collections import Counter

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from situatedgen import testing
from situatedgen.errors import LeakError
from situatedgen.params import SplitParams
from situatedgen.rules.homes import Placed, homes
from situatedgen.rules.leaks import Placement, folded, leaks
from situatedgen.rules.packing import dealt, room
from situatedgen.schemas import COMMUNITIES, MASKS, PRECEDENT, SPLITS, STATEMENTS, VERDICT, check
from situatedgen.stages import splits as splits_module
from situatedgen.stages.splits import splits

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
    assert (folded(left) == folded(right)) is same


@given(st.text(st.characters(max_codepoint=0x7F)))
def test_a_text_of_ascii_is_folded_as_any_other(text):
    assert folded(f"a{text}é") == folded(f"a{text}") + "é"


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
    assert room(share, total) == most


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
    assert dealt(sizes, test_share=0.25, dev_share=0.15) == expected


def test_equal_communities_spread_over_all_three_splits():
    """Twenty of 5 pairs; rooms 25, 15, 60. The last is train's, 0 starts dev, 1 test: free are 20/25, 10/15,
    55/60. The largest free part takes the next: train, train (45/60), test (15/25), train (40/60); now dev
    (10/15) ties with train and comes first; and so on until every room is exactly full.
    """
    test, dev = {1, 4, 8, 12, 16}, {0, 6, 13}
    expected = [TEST if index in test else DEV if index in dev else TRAIN for index in range(20)]
    assert dealt([5] * 20, test_share=0.25, dev_share=0.15) == expected


shares = st.floats(0, 0.99).map(lambda share: round(share, 2))
sizes = st.lists(st.integers(1, 60), max_size=12)


@given(sizes=sizes, test_share=shares, dev_share=shares)
def test_no_share_is_exceeded(sizes, test_share, dev_share):
    total = Counter()
    for size, split in zip(sizes, dealt(sizes, test_share=test_share, dev_share=dev_share), strict=True):
        total[split] += size
    assert total[TEST] <= round(test_share * sum(sizes), 6)
    assert total[DEV] <= round(dev_share * sum(sizes), 6)


@given(sizes=st.lists(st.integers(1, 60), min_size=3, max_size=12), test_share=shares, dev_share=shares)
def test_every_split_gets_pairs_wherever_the_shares_allow_it(sizes, test_share, dev_share):
    """Beside the largest, train's, there are two that fit, one of them test and the other dev."""
    rest = sorted(sizes)[:-1]
    test_fits = [size for size in rest if size <= room(test_share, sum(sizes))]
    dev_fits = [size for size in rest if size <= room(dev_share, sum(sizes))]
    possible = bool(test_fits and dev_fits) and max(len(test_fits), len(dev_fits)) > 1
    found = dealt(sizes, test_share=test_share, dev_share=dev_share)
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
    assert homes([Placed(*row) for row in statements]) == expected


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


def tables(nodes, edges):
    """Inputs of the stage from (id, text, template, community) and (left, right)."""
    statements = STATEMENTS.frame([(name, "s", text, "claim", 1.0, "kept") for name, text, _, _ in nodes])
    masks = MASKS.frame([(name, template, 2, "GEO", "kept") for name, _, template, _ in nodes])
    communities = COMMUNITIES.frame([(name, community) for name, _, _, community in nodes])
    pairs = testing.screening(*map(tuple, edges))
    return pairs, masks, statements, communities, PRECEDENT.empty


def test_every_pair_gets_a_verdict_and_kept_ones_a_split():
    """Community 0 is a to d, 1 is e to g. `g` has the template of `a` and moves to 0; so e-g is lost by the
    move, b-e crosses as before, and d-g crossed before but is at home now."""
    nodes = [
        *((name, name, f"t{name}", 0) for name in "bcd"),
        *((name, name, "ta", community) for name, community in [("a", 0), ("g", 1)]),
        *((name, name, f"t{name}", 1) for name in "ef"),
    ]
    edges = ["ab", "ac", "ad", "bc", "be", "dg", "ef", "eg"]
    found = splits(*tables(nodes, edges), params=SplitParams())
    verdicts = {left + right: verdict for _, left, right, _, _, verdict in found.rows()}
    assert verdicts == dict.fromkeys(["ab", "ac", "ad", "bc", "dg", "ef"], "kept") | {
        "be": "crosses_communities",
        "eg": "template_moved",
    }
    places = {left + right: (community, split) for _, left, right, community, split, _ in found.rows()}
    assert places == dict.fromkeys(["ab", "ac", "ad", "bc", "dg"], (0, TRAIN)) | {
        "ef": (1, TEST),
        "be": (None, None),
        "eg": (None, None),
    }
    check(found, SPLITS, name="splits")


@st.composite
def graphs(draw):
    """Statements whose texts and templates often repeat, in any communities, with any pairs."""
    count = draw(st.integers(2, 14))
    label = st.integers(0, 5)
    nodes = [
        (
            f"n{index:02}",
            f"text {draw(st.integers(0, 9))}",
            f"template {draw(st.integers(0, 9))}",
            draw(label),
        )
        for index in range(count)
    ]
    ends = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)).filter(lambda ends: ends[0] < ends[1])
    edges = draw(st.sets(ends, min_size=1))
    return nodes, [(f"n{left:02}", f"n{right:02}") for left, right in sorted(edges)]


@given(graph=graphs(), seed=st.integers(0, 99))
def test_nothing_stands_in_two_splits(graph, seed):
    """Counted by hand, apart from the rule that the stage itself checks with."""
    nodes, edges = graph
    found = splits(*tables(nodes, edges), params=SplitParams(seed=seed, test_share=0.4, dev_share=0.4))
    by_id = {name: (name, text, template) for name, text, template, _ in nodes}
    seen = {TRAIN: set(), DEV: set(), TEST: set()}
    for _, left, right, _, split, verdict in found.rows():
        assert (split is not None) is (verdict == "kept")
        if split:
            seen[split].update(enumerate(by_id[left]), enumerate(by_id[right]))
    assert [seen[TRAIN] & seen[DEV], seen[TRAIN] & seen[TEST], seen[DEV] & seen[TEST]] == [
        set(),
        set(),
        set(),
    ]
    assert len(found) == len(edges)


@given(graph=graphs(), seed=st.integers(0, 99), data=st.data())
def test_row_order_does_not_matter(graph, seed, data):
    inputs = tables(*graph)
    shuffled = [table[data.draw(st.permutations(range(len(table))))] for table in inputs]
    params = SplitParams(seed=seed)
    assert_frame_equal(splits(*shuffled, params=params), splits(*inputs, params=params))


def many_communities(count):
    nodes = [(f"c{c:02}{side}", f"{c}{side}", f"t{c}{side}", c) for c in range(count) for side in "lr"]
    return nodes, [(f"c{c:02}l", f"c{c:02}r") for c in range(count)]


def test_the_seed_deals_anew_and_the_shares_are_met():
    inputs = tables(*many_communities(20))
    deals = [splits(*inputs, params=SplitParams(seed=seed))["split"].to_list() for seed in range(5)]
    assert [Counter(deal) for deal in deals] == [{TRAIN: 12, TEST: 5, DEV: 3}] * 5
    assert len({tuple(deal) for deal in deals}) == 5


def test_rejected_pairs_stay_out():
    pairs, *rest = tables(*many_communities(3))
    rejected = pairs.with_columns(pl.lit("too_dissimilar").cast(VERDICT).alias("verdict"))
    assert_frame_equal(splits(rejected, *rest, params=SplitParams()), SPLITS.empty)


def test_an_empty_split_is_said(caplog):
    with caplog.at_level(logging.WARNING):
        splits(*tables(*many_communities(2)), params=SplitParams())
    assert caplog.messages == ["no community fits dev or test: 2 communities"]


def test_a_leak_stops_the_build(monkeypatch):
    """With nobody sent home, a template that all communities share stands in all three splits."""
    nodes, edges = many_communities(20)
    nodes = [(name, text, "t", community) for name, text, _, community in nodes]
    monkeypatch.setattr(splits_module, "homes", lambda placed: {node.statement_id: node.community for node in placed})
    with pytest.raises(LeakError, match=r"^in two splits: masked template 't'$"):
        splits(*tables(nodes, edges), params=SplitParams())
