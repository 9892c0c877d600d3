"""The leakage certificate: how far dev and test are from train, counted by the plainest means."""

from contextlib import contextmanager
from itertools import combinations as subsets

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from situatedgen.errors import LeakError, SettingsError
from situatedgen.leakage import certificate as novelty_module
from situatedgen.leakage import neighbours as nearest_module
from situatedgen.leakage.certificate import (
    BINS,
    DEV,
    TEST,
    TRAIN,
    Balance,
    Hubs,
    Nearness,
    Novelty,
    balance,
    combinations,
    hubs,
    nearness,
    novelty,
    sheet,
    word_sets,
)
from situatedgen.leakage.comparison import average_certificates, comparison
from situatedgen.leakage.neighbours import nearest, nearest_by_group, nearest_other
from situatedgen.leakage.released import (
    against_itself,
    against_train,
    authors,
    mask_statement,
    random_cut,
    read_examples,
    release,
)
from situatedgen.leakage.tables import leakage_rows
from situatedgen.mining.search import round_vectors
from situatedgen.models.fakes import FakeEncoder
from situatedgen.params import LeakageParams, ModelParams, SplitParams
from situatedgen.runtime import Runtime
from situatedgen.schemas import EXAMPLES, LEAKAGE, MASKS, SPLITS, check
from situatedgen.stages.leakage import leakage
from situatedgen.vocabulary import Split
from table_support import example_row

law = settings(max_examples=min(60, settings().max_examples))


def unit(rows):
    vectors = np.array(rows, np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@st.composite
def vector_sets(draw, least=0):
    """Vectors with few directions, so that equals are common."""
    number = st.sampled_from([-1.0, 0.25, 1.0, 2.0])
    rows = draw(st.lists(st.tuples(number, number, number), min_size=least, max_size=9))
    return unit(rows) if rows else np.empty((0, 3), np.float32)


def product(left, right):
    """By the plainest means, on the same settled vectors."""
    return sum(float(a) * float(b) for a, b in zip(left, right, strict=True))


def cosine(left, right):
    return float(min(np.float32(product(left, right)), np.float32(1)))


blocks = st.sampled_from([(1, 1), (2, 3), (100, 100)])


@contextmanager
def blocked(block, prefix=""):
    """What is compared at once is so small that there are many blocks, or so large that there is one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nearest_module, f"{prefix}ROWS", block[0])
        patch.setattr(nearest_module, f"{prefix}COLUMNS", block[1])
        yield


@law
@given(rows=vector_sets(), columns=vector_sets(), block=blocks)
def test_the_nearest_is_what_looking_at_all_finds(rows, columns, block):
    with blocked(block):
        numbers, cosines = nearest(rows, columns)
    for row, number, found in zip(round_vectors(rows), numbers, cosines, strict=True):
        every = [product(row, column) for column in round_vectors(columns)]
        assert found == max((cosine(row, column) for column in round_vectors(columns)), default=-1.0)
        assert number == (every.index(max(every)) if every else -1), "the first of those that are equal to the last bit"


@law
@given(vectors=vector_sets(), block=blocks)
def test_the_nearest_other_is_never_oneself(vectors, block):
    with blocked(block):
        found = nearest_other(vectors)
    ready = round_vectors(vectors)
    for place, row in enumerate(ready):
        others = [cosine(row, other) for number, other in enumerate(ready) if number != place]
        assert found[place] == max(others, default=-1.0)


@law
@given(vectors=vector_sets(), block=blocks, data=st.data())
def test_the_nearest_of_each_group(vectors, block, data):
    groups = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(vectors), max_size=len(vectors))), np.int64)
    with blocked(block, "TILE_"):
        found = nearest_by_group(vectors, groups, 4)
    ready = round_vectors(vectors)
    expected = [
        [max((cosine(row, other) for other in ready[groups == group]), default=-1.0) for group in range(4)]
        for row in ready
    ]
    assert found.tolist() == expected


word_lists = st.lists(st.lists(st.sampled_from("abcdef"), max_size=5), max_size=8)


@law
@given(sets=word_lists, size=st.integers(1, 3), few=st.sampled_from([0, 100]), data=st.data())
def test_novelty_is_what_sets_say(sets, size, few, data):
    """A split is any part of the rows, train any other part; few codes are sorted another way than many."""
    part = data.draw(st.lists(st.sampled_from([TRAIN, DEV, TEST]), min_size=len(sets), max_size=len(sets)))
    splits = np.array(part, np.int64)
    words = word_sets(pl.Series(sets, dtype=pl.List(pl.String)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(novelty_module, "FEW", few)
        found = novelty(combinations(words, size), splits == DEV, splits == TRAIN)
    here, there = (
        {
            each
            for words, own in zip(sets, part, strict=True)
            if own == split
            for each in subsets(sorted({*words}), size)
        }
        for split in (DEV, TRAIN)
    )
    unseen = len(here - there)
    assert found == Novelty(
        size,
        len(here),
        unseen,
        round(unseen / len(here), 6) if here else 0.0,
        round(len(here & there) / len(here | there), 6) if here | there else 0.0,
    )


def test_nearness_tells_quantiles_shares_and_a_histogram():
    """Bins of 0.02 from 0.4: 0.1 counts in the first, 0.8 starts number 20, 1 is in the last."""
    found = nearness(np.array([0.1, 0.8, 0.95, 1.0], np.float64))
    histogram = [0.0] * BINS
    for place in (0, 20, 27, 29):
        histogram[place] = 0.25
    assert found == Nearness(4, 0.7125, 0.875, 0.985, 0.9985, 1.0, 0.75, 0.5, tuple(histogram))


def examples(*rows):
    """Examples of two ids, a split and a context."""
    made = [example_row(*ids, split, words=[("w", 0)], context=context) for *ids, split, context in rows]
    return EXAMPLES.frame(made)


def test_hubs_are_the_top_tenth_of_the_statements():
    """Twelve statements, so two are hubs: `h` stands in 10 of 11 examples and `a` in two, of 22 slots."""
    rows = [("x::h", f"x::{name}", "train", "GEO") for name in "abcdefghij".replace("h", "z")]
    rows += [("x::a", "x::y", "dev", "GEO")]
    found = sheet(examples(*rows))
    assert hubs(found, np.ones(len(found), bool)) == Hubs(12, 22, 2, 0.545455, 0.909091)


def test_balance_is_the_distance_from_the_whole():
    """Train has both examples of source a, test the one of b. Of all slots 4/6 are a's: train is off by 1/3, test by
    2/3. Of the shares, train has 2/3 instead of 0.6, test 1/3 instead of 0.25, dev nothing of 0.15."""
    found = sheet(
        examples(
            ("a::1", "a::2", "train", "GEO"),
            ("a::1", "a::3", "train", "GEO"),
            ("b::1", "b::2", "test", "TEMP"),
        )
    )
    splits = np.array([TRAIN, TRAIN, TEST])
    assert balance(found, splits, (0.6, 0.15, 0.25)) == Balance(0.15, 0.5, 0.5)


def tables(placed, pairs):
    """Inputs of the stage from name: (split, template, vector) and pairs of names."""
    vectors = {template: vector for _, template, vector in placed.values()}
    width = pl.Array(pl.Float32, 3)
    found = pl.DataFrame(
        {
            "masked_text": sorted(vectors),
            "vector": pl.Series([unit([vectors[t]])[0] for t in sorted(vectors)], dtype=width),
        }
    )
    rows = [
        example_row(left, right, placed[left][0], texts=(left, right), words=[(left[-1], 0), (right[-1], 1)])
        for left, right in pairs
    ]
    masks = MASKS.frame([(name, template, 2, "GEO", "kept") for name, (_, template, _) in placed.items()])
    return EXAMPLES.frame(rows), masks, found


PLACED = {
    "x::a": ("train", "A", (1, 0, 0)),
    "x::b": ("train", "B", (0, 1, 0)),
    "x::c": ("dev", "C", (1, 1, 0)),
    "x::d": ("dev", "D", (0, 0.6, 0.8)),
    "x::e": ("test", "E", (3, 0, 4)),
    "x::f": ("test", "F", (0, 0, 1)),
}
PAIRS = [("x::a", "x::b"), ("x::c", "x::d"), ("x::e", "x::f")]
LOOSE = LeakageParams(max_neighbour=1, max_close_share=1, max_shared_templates=0, max_hub_share=1)


def test_each_example_gets_its_neighbours_in_train():
    """c lies half-way between a and b, and the first id stands; of d b is the nearest with 0.6, of e a with 0.6."""
    found = leakage(*tables(PLACED, PAIRS), params=LOOSE)
    check(found, LEAKAGE, name="leakage")
    half = round(2**-0.5, 6)
    assert [(*row[:3], round(row[3], 6), row[4], round(row[5], 6)) for row in found.rows()] == [
        ("x::c|x::d", "dev", "x::a", half, "x::b", 0.6),
        ("x::e|x::f", "test", "x::a", 0.6, "x::a", 0.0),
    ]


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (
            {"max_neighbour": 0.7},
            r"^1 dev and test examples are closer .* 0\.7: x::c\|x::d in dev \(0\.707 to x::a\)",
        ),
        ({"max_hub_share": 0.1}, r"^the top tenth of the statements fills 16\.7 % of the slots, more than .* 10 %"),
    ],
)
def test_a_dataset_beyond_a_limit_is_refused(limits, message):
    with pytest.raises(LeakError, match=message):
        leakage(*tables(PLACED, PAIRS), params=LOOSE.model_copy(update=limits))


def test_close_examples_and_shared_templates_are_refused():
    near = PLACED | {"x::c": ("dev", "C", (1, 0.01, 0)), "x::d": ("dev", "B.", (0, 1, 0.01))}
    strict = LOOSE.model_copy(update={"max_close_share": 0.4})
    with pytest.raises(
        LeakError,
        match=r"^50\.0 % of the dev and test examples .* 40 %: x::c\|x::d in dev .*; 1 masked templates .* 'b'",
    ):
        leakage(*tables(near, PAIRS), params=strict)


@pytest.mark.parametrize("pairs", [[], PAIRS[:1], PAIRS[1:]])
def test_where_nothing_can_be_near_there_are_no_rows(pairs):
    """No examples at all, train alone, and no train."""
    assert_frame_equal(leakage(*tables(PLACED, pairs), params=LOOSE), LEAKAGE.empty)


@law
@given(data=st.data())
def test_the_order_of_rows_does_not_matter(data):
    inputs = tables(PLACED, PAIRS)
    shuffled = [table[data.draw(st.permutations(range(len(table))))] for table in inputs]
    assert_frame_equal(leakage(*shuffled, params=LOOSE), leakage(*inputs, params=LOOSE))


def test_the_certificate_of_a_build_and_of_random_packings():
    """Three communities of one pair each: any packing of shares that leave one each deals each split one."""
    made, masks, vectors = tables(PLACED, PAIRS)
    dealt = SPLITS.frame([(f"{a}|{b}", a, b, place, PLACED[a][0], "kept") for place, (a, b) in enumerate(PAIRS)])
    stage = leakage(made, masks, vectors, params=LOOSE)
    built = {"examples": made, "masks": masks, "embeddings": vectors, "splits": dealt, "leakage": stage}
    found = comparison(built, SplitParams(test_share=0.34, dev_share=0.34))
    dev, test = found.built.splits
    assert (dev.split, dev.sentences.count, dev.sentences.maximum, dev.pairs.mean) == (Split.DEV, 2, 0.707107, 0.653553)
    assert (test.pairs.maximum, found.built.shared_templates) == (0.3, 0)
    assert [(each.size, each.distinct, each.unseen_share) for each in dev.novelty] == [
        (1, 2, 1.0),
        (2, 1, 1.0),
        (3, 0, 0.0),
    ]
    assert found.packings == 5
    assert [split.pairs.count for split in found.random.splits] == [1, 1]
    assert found.random.hubs == found.built.hubs
    assert len(leakage_rows(found, authors()).rows) == len(leakage_rows(found).rows) == 23


def test_a_mean_is_taken_number_by_number():
    one, two = (Balance(*values) for values in ((0.0, 0.5, 1.0), (1.0, 0.5, 0.0)))
    assert average_certificates([one, two]) == Balance(0.5, 0.5, 0.5)
    assert average_certificates([(1, "dev", (0.1,)), (2, "dev", (0.2,))]) == (1.5, "dev", (0.15,))


@pytest.mark.parametrize(
    ("text", "keywords", "expected"),
    [
        ("July is summer in China.", ["July", "summer", "China"], "[UNK] is [UNK] in [UNK]."),
        ("New York is in York.", ["York", "New York"], "[UNK] is in [UNK]."),  # the longer one first
        ("An artist has art.", ["art"], "An artist has [UNK]."),  # whole words only
        ("A lunar month.", ["a lunar month"], "A lunar month."),  # a keyword in another case is not found
    ],
)
def test_released_statements_are_masked(text, keywords, expected):
    assert mask_statement(text, keywords) == expected


RELEASED = [
    {
        "keywords": [f"K{number}", "place", f"K{number + 1}", "place"],
        "statement": "",
        "ids": [f"s::{number}", f"s::{number + 1}"],
        "keywords_pos": [0, 0, 1, 1],
        "statements": [
            f"K{number} is a place {'very ' * number}far.",
            f"K{number + 1} is a place {'very ' * (number + 1)}far.",
        ],
    }
    for number in range(10)
]


def test_a_file_alone_is_measured_against_itself(tmp_path):
    """Eleven sentences in a chain of ten pairs; cut at random, some stand on both sides and are as near as can be."""
    path = tmp_path / "train.jsonl"
    pl.DataFrame(RELEASED).write_ndjson(path)
    read = release(read_examples(path), FakeEncoder(ModelParams(name="fake"), Runtime()))
    found = against_itself(read)
    assert (found.against_others.sentences.count, found.against_others.pairs.count) == (11, 10)
    assert found.against_others.sentences.maximum < 1
    dev, test = against_train(read, np.array([TRAIN, DEV, *[TRAIN] * 7, TEST])).splits
    assert (dev.sentences.maximum, dev.pairs.mean, test.sentences.maximum) == (1, 1, 1)
    assert test.pairs.mean < 1
    assert found.random_cut.shared_templates > 0


def test_a_random_cut_deals_every_example_once():
    assert np.bincount(random_cut(100, 3)).tolist() == [60, 15, 25]
    assert random_cut(100, 3).tolist() != random_cut(100, 4).tolist()


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"ids": ["a", "b"]}, "contains no examples: it has no field statements, keywords, keywords_pos"),
        (RELEASED[0] | {"ids": ["a"]}, "example 1: expected two ids"),
        (RELEASED[0] | {"keywords_pos": [1]}, "example 1: expected two ids"),
    ],
)
def test_a_file_that_holds_no_examples_is_refused(tmp_path, row, message):
    path = tmp_path / "train.jsonl"
    pl.DataFrame([row]).write_ndjson(path)
    with pytest.raises(SettingsError, match=message):
        read_examples(path)


def test_the_authors_numbers_are_shipped():
    found = authors()
    assert (found.against_others.pairs.count, found.against_others.sentences.count) == (5641, 788)
    assert [split.split for split in found.random_cut.splits] == [Split.DEV, Split.TEST]
