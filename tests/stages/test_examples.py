"""Examples: the authors' record, and an order of keywords that depends on the example alone."""

import json
from collections import Counter
from functools import partial

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from situatedgen.dataset.files import export
from situatedgen.params import ExampleParams, TermParams
from situatedgen.rules.keywords import merge_keywords
from situatedgen.schemas import EXAMPLES, ITEMS, JUDGEMENTS, KEYWORDS, SPLIT, SPLITS, STATEMENTS, check
from situatedgen.seeds import order
from situatedgen.stages.examples import examples
from situatedgen.stages.terms import terms
from situatedgen.testing import judged, unjudged

TEXTS = {
    "a": "July is summer in China, and July is hot.",
    "b": "July is winter in Australia.",
    "c": "Snow falls in Norway.",
}
WORDS = {
    "a": ["July", "summer", "China", "July"],
    "b": ["July", "winter", "Australia"],
    "c": ["Snow", "Norway"],
}
STATEMENT_TABLE = STATEMENTS.frame([(name, "s", text, "claim", 1.0, "kept") for name, text in TEXTS.items()])
LICENCES = {"a": "CC BY-SA 4.0", "b": "MIT", "c": "not stated"}
ITEM_TABLE = ITEMS.frame(
    [
        (name, "s", "train", "f", 1, "claim", "", "", text, LICENCES[name], "", "kept", "")
        for name, text in TEXTS.items()
    ]
)
TERM_TABLE = terms(ITEM_TABLE, params=TermParams())
KEYWORD_TABLE = KEYWORDS.frame(
    [(name, start, start + 1, word, "noun", None) for name, words in WORDS.items() for start, word in enumerate(words)]
)


def example_table(*ends, seed=0, keywords=KEYWORD_TABLE):
    pairs = judged(*map(tuple, ends), probability=0.75).with_columns(similarity=pl.lit(0.875, pl.Float32))
    splits = SPLITS.frame([(f"{left}|{right}", left, right, 0, "dev", "kept") for left, right in ends])
    return examples(TERM_TABLE, STATEMENT_TABLE, keywords, pairs, unjudged(splits), params=ExampleParams(seed=seed))


def test_an_example_is_the_authors_record():
    """`July` stands twice in `a` and once in `b`: once for each statement, two in all."""
    row = check(example_table("ab"), EXAMPLES, name="examples").row(0, named=True)
    marked = sorted(zip(row.pop("keywords"), row.pop("keywords_pos"), strict=True))
    assert marked == sorted([("July", 0), ("summer", 0), ("China", 0), ("July", 1), ("winter", 1), ("Australia", 1)])
    assert row == {
        "example_id": "a|b",
        "split": "dev",
        "statement": "July is summer in China, and July is hot. July is winter in Australia.",
        "ids": ["a", "b"],
        "statements": [TEXTS["a"], TEXTS["b"]],
        "context": "GEO",
        "similarity": 0.875,
        "probability": 0.75,
        "licences": ["cc-by-sa-4.0", "mit"],
    }


def test_a_pair_without_a_split_is_no_example():
    made = JUDGEMENTS.frame([("a|b", "a", "b", 0, None, "judged_invalid", ["sound"], 1, False)])
    found = examples(TERM_TABLE, STATEMENT_TABLE, KEYWORD_TABLE, judged(("a", "b")), made, params=ExampleParams())
    assert_frame_equal(found, EXAMPLES.empty)


@pytest.mark.parametrize(("probability", "shown"), [(None, 0.5), (0.75, 0.5), (0.25, 0.25)])
def test_a_pair_about_which_people_are_divided_is_at_most_as_probable_as_not(probability, shown):
    made = JUDGEMENTS.frame([("a|b", "a", "b", 0, "dev", "kept", [], 2, True)])
    pairs = judged(("a", "b"), probability=probability)
    found = examples(TERM_TABLE, STATEMENT_TABLE, KEYWORD_TABLE, pairs, made, params=ExampleParams())
    assert found["probability"].to_list() == [shown]


def test_an_examples_order_does_not_depend_on_the_others():
    alone, among = example_table("bc"), example_table("ab", "ac", "bc")
    assert alone.rows() == among.filter(among["example_id"] == "b|c").rows()


def test_another_seed_another_order():
    orders = {tuple(example_table("ab", seed=seed)["keywords"][0]) for seed in range(5)}
    assert len(orders) == 5


words = st.lists(st.text("abc", min_size=1, max_size=2), max_size=6)


@given(left=words, right=words, seed=st.integers(0, 99))
def test_merging_keeps_each_statements_keywords_once(left, right, seed):
    found, positions = merge_keywords(left, right, order=partial(order, seed, "test"))
    marked = list(zip(found, positions, strict=True))
    assert sorted(marked) == sorted([*((word, 0) for word in set(left)), *((word, 1) for word in set(right))])


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ((), (), ([], [])),  # nothing to merge
        (("x",), (), (["x"], [0])),  # all from the left
        ((), ("x",), (["x"], [1])),  # all from the right
    ],
)
def test_merging_of_little(left, right, expected):
    assert merge_keywords(left, right, order=partial(order, 0, "test")) == expected


@given(size=st.integers(0, 40), seed=st.integers(0, 9), purpose=st.text(max_size=5))
def test_an_order_has_every_number_once(size, seed, purpose):
    assert sorted(order(seed, purpose, size)) == list(range(size))


def test_orders_favour_no_number():
    """Of 6,000 orders of three, each of the six comes up a thousand times, give or take four spreads."""
    counts = Counter(tuple(order(0, str(number), 3)) for number in range(6000))
    assert len(counts) == 6
    assert all(abs(count - 1000) < 4 * (6000 * 5 / 36) ** 0.5 for count in counts.values())


def test_export_writes_train_in_both_orders_and_dev_once(tmp_path):
    table = example_table("ab", "bc").with_columns(split=pl.Series(["train", "dev"], dtype=SPLIT))
    assert export(table, tmp_path) == {"train": 2, "dev": 1, "test": 0}
    lines = {path.stem: path.read_text(encoding="utf-8").splitlines() for path in tmp_path.iterdir()}
    first, second = (", ".join(keywords) for keywords in table["keywords"])
    assert {name: [json.loads(line) for line in found] for name, found in lines.items()} == {
        "train": [
            {"example_id": "a|b", "source": first, "target": f"{TEXTS['a']} {TEXTS['b']}"},
            {"example_id": "a|b", "source": first, "target": f"{TEXTS['b']} {TEXTS['a']}"},
        ],
        "dev": [{"example_id": "b|c", "source": second, "target": f"{TEXTS['b']} {TEXTS['c']}"}],
        "test": [],
    }
