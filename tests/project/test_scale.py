"""The benchmark of scale, small: its corpus fits the schemas, its pieces the pipeline, and its counts are right."""

import os
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from benchmarks import scale, scale_estimate
from benchmarks.approximate import planted, trials
from benchmarks.processes import Spent, alone
from benchmarks.scale_corpus import MOST_ALIKE, corpus
from situatedgen.pipeline import schema_of
from situatedgen.schemas import MASKS, check
from situatedgen.vocabulary import Context, Verdict

pytestmark = pytest.mark.slow
TEXTS, FEWER_TEXTS = 2_000, 400


@pytest.fixture(scope="module")
def tables():
    return corpus(TEXTS)


def test_the_corpus_is_as_the_schemas_say_and_the_same_again(tables):
    for name, table in tables.items():
        check(table, schema_of(name), name=name)
        assert table.equals(corpus(TEXTS)[name])


def test_keywords_stand_where_they_say(tables):
    texts = dict(tables["statements"].select("statement_id", "text").iter_rows())
    for id_, start, end, text in tables["keywords"].select("statement_id", "start", "end", "text").iter_rows():
        assert texts[id_][start:end] == text


@pytest.mark.weights
def test_the_whole_line_from_masks_to_the_dataset_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(scale, "SLICE", scale.BLOCK)
    lines = list(scale.report(FEWER_TEXTS, tmp_path, lambda function, *args: (function(*args), Spent(1.0, 1.0, 1))))
    found = {line.split()[0]: line.split()[1] for line in lines}
    made = "masks parses embeddings candidates pairs shortlist judged selected".split()
    made += "communities splits examples dataset all".split()
    assert [name for name in found if name in made] == made
    released = [pl.read_parquet(path) for path in (tmp_path / "out" / "data").glob("*.parquet")]
    assert found["dataset"] == found["examples"] == f"{sum(map(len, released)):,}" != "0"
    masks = pl.read_parquet(next((tmp_path / "store" / "artifacts" / "masks").glob("*.parquet")))
    assert set(masks["verdict"]) == {Verdict.KEPT}
    assert 1 < masks["masked_text"].value_counts()["count"].max() <= MOST_ALIKE
    assert f" {scale.compared(masks):,} pairs of distinct texts" in lines[6]


def test_compared_counts_the_pairs_of_distinct_texts_that_share_a_kind():
    """Text a is of places and, in another statement, of times; b and c are of one kind, d of both."""
    given = [("1", "a", Context.GEO), ("2", "a", Context.TEMP), ("3", "b", Context.GEO), ("4", "c", Context.TEMP)]
    given += [("5", "d", Context.BOTH), ("6", "e", Context.TEMP)]
    masks = MASKS.frame([(id_, text, 2, context, Verdict.KEPT) for id_, text, context in given])
    kinds = {"a": {1, 2}, "b": {1}, "c": {2}, "d": {1, 2}, "e": {2}}
    assert scale.compared(masks) == sum(bool(kinds[one] & kinds[other]) for one, other in combinations(kinds, 2))


def test_the_page_shows_the_tables_of_the_estimate():
    page = (Path(__file__).parents[2] / "docs" / "scale.md").read_text(encoding="utf-8")
    shown = page.partition("<!-- estimate -->\n")[2].partition("<!-- /estimate -->")[0]
    assert shown.strip() == "\n".join(scale_estimate.tables()).strip()


def test_work_that_is_spread_divides_and_the_rest_does_not():
    load = scale_estimate.Load(1_000_000)
    spread = load.hours(1) - load.finishing / scale_estimate.HOUR
    assert load.hours(8) == pytest.approx(spread / 8 + load.finishing / scale_estimate.HOUR)
    assert load.hours(8, products=0.5) < load.hours(8)


def test_recall_grows_with_the_cells_looked_into_and_all_cells_lose_nothing():
    found = list(trials(planted(400), cells=16))
    files = [trial.recall for trial in found if trial.name.startswith("inverted")]
    assert files == sorted(files)
    assert files[-1] == found[0].recall == 1.0
    caps = [trial.recall for trial in found if trial.name.startswith("at most")]
    assert caps == sorted(caps)
    assert 0 < caps[0] < caps[-1] <= 1


def test_memory_of_a_process_of_its_own_is_seen():
    size = 100 << 20
    count, spent = alone(np.count_nonzero, np.ones(size, dtype=np.uint8))
    assert count == size < spent.peak


def test_a_process_that_ends_without_an_answer_is_told():
    with pytest.raises(SystemExit, match="_exit ended with 3"):
        alone(os._exit, 3)
