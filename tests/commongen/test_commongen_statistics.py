"""Table 1 of CommonGen, counted."""

import json
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli_support import run
from situatedgen.commongen.examples import Example, novelties, read_folder, statistics
from situatedgen.commongen.tables import describe_differences, table1_rows
from situatedgen.errors import RecordError, SourceError
from situatedgen.models.lemmas import Lemmatiser

TRAIN = (
    Example(("dog_N", "park_N", "run_V"), ("A dog runs in the park.", "Dogs run in parks near a ball.")),
    Example(("cat_N", "sleep_V", "sofa_N"), ("the cat sleeps on a sofa",)),
)
DEV = (
    Example(("ball_N", "dog_N", "run_V"), ("The dog runs after a ball.", "a dog running"), ("Dogs like balls.", "n/a")),
)
TEST = (Example(("cat_N", "dog_N", "moon_N", "run_V"), ("A cat and a dog run under the moon.",), ("Fun.",)),)
SPLITS = {"train": TRAIN, "dev": DEV, "test": TEST}

SETS = st.lists(st.frozensets(st.sampled_from("abcdefg"), max_size=5), max_size=8)


@pytest.fixture
def released(tmp_path: Path) -> Path:
    for split, examples in SPLITS.items():
        rows = [
            {"concept_set": "#".join(each.concepts), "scene": each.scenes}
            | ({"reason": each.reasons} if each.reasons else {})
            for each in examples
        ]
        (tmp_path / f"commongen.{split}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return tmp_path


@given(SETS, SETS)
def test_novelty_is_what_no_seen_set_holds(sets: list[frozenset[str]], seen: list[frozenset[str]]) -> None:
    for found in novelties(sets, seen):
        asked = {frozenset(each) for words in sets for each in combinations(words, found.size)}
        new = [each for each in asked if not any(each <= met for met in seen)]
        assert (found.distinct, found.unseen) == (len(asked), len(new))


def test_a_column_counts_sets_sentences_and_what_is_new(released: Path) -> None:
    """Of dev's pairs, ball with dog and ball with run are in no set of train, but in the sentences of one example."""
    assert read_folder(released) == SPLITS
    found = statistics(SPLITS, lemmatiser=Lemmatiser())
    dev, train = found["dev"], found["train"]
    assert (train.new_to_sets, train.new_to_sentences, train.written_length) == ((), (), None)
    assert (dev.sets, dict(dev.by_size), dev.sentences) == (1, {3: 1}, 2)
    assert (dev.average_length, dev.written_length) == (4.5, 6.0)
    assert dev.combinations == {1: 3, 2: 3, 3: 1}
    assert [(each.distinct, each.unseen) for each in dev.new_to_sets] == [(3, 1), (3, 2), (1, 1)]
    assert [(each.distinct, each.unseen) for each in dev.new_to_sentences] == [(3, 0), (3, 0), (1, 0)]


def test_what_is_not_as_published_is_named() -> None:
    found = statistics(SPLITS)
    assert "train: concept sets is 2, published 27,069" in list(describe_differences(found))
    assert ("concept sets", "2", "27,069", "1", "993", "1", "1,497") in table1_rows(found).rows


def test_the_command_prints_the_same_as_json(released: Path) -> None:
    found = json.loads(run("commongen", "stats", released, "--no-sentences", "--json"))
    assert found["test"]["combinations"] == {"1": 4, "2": 6, "3": 4}


def test_a_missing_split_and_a_bad_line_are_named(released: Path) -> None:
    (released / "commongen.dev.jsonl").write_text('{"concept_set": 3}\n', "utf-8")
    with pytest.raises(RecordError, match=r"commongen\.dev\.jsonl, line 1: expected"):
        read_folder(released)
    (released / "commongen.dev.jsonl").unlink()
    with pytest.raises(SourceError, match="expected the dev split"):
        read_folder(released)
