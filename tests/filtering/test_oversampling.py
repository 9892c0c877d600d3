"""Oversampling: rows of a corpus, writers that never saw what they replace, and the endings that stay."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from oversampling_support import TOY, ToyParser, toy_corpus
from process_support import running
from situatedgen.errors import SettingsError
from situatedgen.filtering.committee import SPECIAL, UNKNOWN
from situatedgen.filtering.oversampling.corpus import Corpus, EndingFate, Given, Row, corpus, group_rows
from situatedgen.filtering.oversampling.endings import Truth, judge_ending
from situatedgen.filtering.oversampling.language_models import Draw, Writers, draw_endings, perplexities, row_sequences
from situatedgen.filtering.oversampling.oversample import Oversampled, Place, _assign_folds, oversample_corpus
from situatedgen.filtering.oversampling.settings import (
    EndingParams,
    OversampleSettings,
    RowParams,
    SamplingParams,
    WriterParams,
)
from situatedgen.filtering.pool import pool_of
from situatedgen.runtime import Runtime

CPU, RUNTIME = torch.device("cpu"), Runtime(device="cpu", threads=1)
SETTINGS = OversampleSettings(
    rows=RowParams(parser=TOY),
    writer=WriterParams(size=24, epochs=3, learning_rate=2e-2, batch_size=32),
    sampling=SamplingParams(population=6, rows=30),
)
DILIGENT = WriterParams(size=24, epochs=30, learning_rate=1e-2, batch_size=16)


def toy(count: int = 300, others: tuple[str, ...] = ()) -> Corpus:
    return toy_corpus(SETTINGS, count=count, others=others)


def run(folder: Path, count: int = 300, **sampling: object) -> Oversampled:
    folder.mkdir(exist_ok=True)
    params = SETTINGS.sampling.model_copy(update=sampling)
    return oversample_corpus(toy(count), SETTINGS.model_copy(update={"sampling": params}), Place(folder, RUNTIME))


@pytest.fixture(scope="module")
def writer(tmp_path_factory: pytest.TempPathFactory) -> tuple[Corpus, Writers]:
    """A corpus, and a model of it that learned long enough; every fifth row is held out from it."""
    rows = toy(400)
    fold = np.arange(len(rows.rows)) % 5
    return rows, Writers(rows, fold, DILIGENT, tmp_path_factory.mktemp("writer"), CPU)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Oversampled]:
    folder = tmp_path_factory.mktemp("oversampling") / "folds"
    return folder, run(folder)


def test_a_row_is_context_noun_phrase_and_ending() -> None:
    texts = {
        "a": "At night , the dog eats the bone near the barn .",
        "b": "the dog near the barn",
        "c": "dog eats bone",
        "d": "At night , the dog eats the bone near the barn !",
        "e": "the dog eats the nightingale near the barn",
        **dict.fromkeys(("f0", "f1", "f2"), "At the barn the dog eats near night ."),
    }
    given = [Given(name, name[0], text) for name, text in texts.items()]
    rows = corpus(given, ToyParser(TOY, RUNTIME), RowParams(parser=TOY), size=99).table
    assert rows.select("row_id", "context", "noun_phrase", "ending", "verdict").rows() == [
        ("a", "At night ,", "the dog", "eats the bone near the barn", "kept"),
        ("b", "the dog near the barn", "", "", "no_clause"),
        ("c", "", "dog", "eats bone", "short"),
        ("d", "At night ,", "the dog", "eats the bone near the barn", "repeated"),
        ("e", "", "the dog", "eats the nightingale near the barn", "rare"),
        ("f0", "At the barn", "the dog", "eats near night", "kept"),
        ("f1", "At the barn", "the dog", "eats near night", "repeated"),
        ("f2", "At the barn", "the dog", "eats near night", "repeated"),
    ]


ROW = Row("a", "a", "", "the dog", "eats", ("the", "dog"), ("eats",))


def test_rows_that_tell_of_each_other_belong_together() -> None:
    """A shares its ending with c; the context of d is the sentence of b; e was given as one group with d."""
    rows = [
        ROW,
        replace(ROW, row_id="b", group="b", noun_phrase="a cat", ending="sleeps", after=("sleeps",)),
        replace(ROW, row_id="c", group="c", noun_phrase="a cow"),
        replace(ROW, row_id="d", group="d", context="A cat sleeps.", ending="barks", after=("barks",)),
        replace(ROW, row_id="e", group="d", context="Now", noun_phrase="it", ending="runs", after=("runs",)),
        replace(ROW, row_id="f", group="f", noun_phrase="he", ending="is late", after=("is", "late")),
    ]
    assert [row.group for row in group_rows(rows)] == ["a", "b", "a", "b", "b", "f"]


@given(words=st.lists(st.sampled_from("abc"), min_size=3, max_size=30), seed=st.integers(0, 3))
def test_no_ending_is_in_two_groups(words: list[str], seed: int) -> None:
    rows = [
        replace(ROW, row_id=f"{number:03d}", group=f"{number % (seed + 5)}", noun_phrase=f"x{number}", ending=word)
        for number, word in enumerate(words)
    ]
    groups: dict[str, set[str]] = {}
    for row in group_rows([replace(row, after=(row.ending,)) for row in rows]):
        groups.setdefault(row.ending, set()).add(row.group)
    assert all(len(found) == 1 for found in groups.values())


def test_texts_in_which_an_ending_stands_are_not_read_before() -> None:
    told = "the dog eats the bone near the barn"
    rows = toy(360, others=(f"picture of {told}", "picture of the dog", "picture of a barn and a cat"))
    assert ("eats", "the", "bone", "near", "the", "barn") in {row.after for row in rows.rows}
    assert rows.others == (("picture", "of", "the", "dog"), ("picture", "of", "a", "barn", "and", "a", "cat"))


def test_a_writer_does_not_depend_on_the_endings_of_its_fold(tmp_path: Path) -> None:
    """The endings of the rows held out are dealt to each other: the same words, and the same model to the last bit."""
    rows = toy(120)
    fold = np.arange(len(rows.rows)) % 5
    held = [row for row, own in zip(rows.rows, fold, strict=True) if own == 2]
    others = iter([*held[1:], held[0]])
    dealt = tuple(
        replace(row, after=next(others).after) if own == 2 else row for row, own in zip(rows.rows, fold, strict=True)
    )
    weights = []
    for number, read in enumerate((rows, Corpus(dealt, rows.others, rows.words))):
        (tmp_path / str(number)).mkdir()
        found, _ = Writers(read, fold, SETTINGS.writer, tmp_path / str(number), CPU).writer(2)
        weights.append(found.model.state_dict())
    assert dealt != rows.rows
    assert all(torch.equal(weights[0][name], weights[1][name]) for name in weights[0])


def test_no_ending_is_in_two_folds(done: tuple[Path, Oversampled]) -> None:
    rows = toy().rows
    fold = _assign_folds(rows, SETTINGS)
    of_ending: dict[tuple[str, ...], set[int]] = {}
    for row, own in zip(rows, fold.tolist(), strict=True):
        of_ending.setdefault(row.after, set()).add(own)
    assert all(len(found) == 1 for found in of_ending.values())
    assert sorted(set(fold.tolist())) == [0, 1, 2, 3, 4]
    assert sum(one.rows for one in done[1].folds) == len(rows)


def test_a_writer_learns_the_grammar(writer: tuple[Corpus, Writers]) -> None:
    """Sentences it never saw cost it little; the same words in another order, or food that is carried, cost more."""
    rows, writers = writer
    found, told = writers.writer(0)
    held = list(rows.rows[::5])
    backwards = [replace(row, after=row.after[::-1]) for row in held]
    mixed = [replace(row, after=("carries", *row.after[1:])) for row in held if row.after[0] != "carries"]

    def perplexity(asked: list[Row]) -> float:
        return perplexities(found, row_sequences(asked, rows.words), np.arange(len(asked))).ending

    assert told.ending == perplexity(held) < 4
    assert perplexity(mixed) > 2 * told.ending
    assert perplexity(backwards) > 10 * told.ending


def test_endings_follow_what_is_before_them(writer: tuple[Corpus, Writers]) -> None:
    rows, writers = writer
    found, _ = writers.writer(0)
    params = SamplingParams(population=200, surplus=1.0)
    for who, verbs in (("truck", {"carries"}), ("goat", {"eats", "wants"})):
        numbers = rows.words.numbers(("the", who))
        draws = draw_endings(found, numbers, params, longest=25, purpose="x")
        said = [rows.words.text(draw.words).split()[0] for draw in draws if draw.words]
        assert np.mean([verb in verbs for verb in said]) > 0.8


def test_a_draw_is_as_likely_as_the_model_says(writer: tuple[Corpus, Writers]) -> None:
    """The first word of 4,000 endings is each verb as often as its likelihood; the likeliest alone with one word."""
    rows, writers = writer
    found, _ = writers.writer(0)
    before = rows.words.numbers(("the", "goat"))
    draws = draw_endings(found, before, SamplingParams(population=4000, surplus=1.0), longest=8, purpose="x")
    texts = row_sequences(
        [replace(ROW, before=("the", "goat"), after=(word,)) for word in rows.words.words], rows.words
    )
    costs = found.costs(texts, np.arange(len(rows.words.words)), 0)[:, 3]
    likely = np.exp(-costs)
    firsts = np.bincount([draw.words[0] - SPECIAL for draw in draws if draw.words], minlength=len(likely) + 1)
    assert firsts[: len(likely)] / 4000 == pytest.approx(likely / likely.sum(), abs=0.04)
    greedy = draw_endings(found, before, SamplingParams(population=9, surplus=1.0, top_k=1), longest=8, purpose="x")
    assert len({draw.words for draw in greedy}) == 1
    assert greedy[0].words[0] - SPECIAL == int(likely.argmax())


DRAWS = st.lists(
    st.builds(
        Draw,
        st.lists(st.integers(SPECIAL, SPECIAL + 5) | st.just(UNKNOWN), max_size=7).map(tuple),
        st.booleans(),
        st.floats(0, 9),
    ),
    max_size=12,
)
RIGHT = (SPECIAL, SPECIAL + 1, SPECIAL + 2)


@given(draws=DRAWS)
def test_what_is_kept_breaks_no_rule(draws: list[Draw]) -> None:
    truth, params = Truth(RIGHT, frozenset({RIGHT, (SPECIAL + 4, SPECIAL + 5)})), EndingParams()
    fates = list(judge_ending(draws, truth, params))
    kept = [draw for draw, fate in zip(draws, fates, strict=True) if fate is EndingFate.KEPT]
    assert len({draw.words for draw in kept}) == len(kept)
    for draw in kept:
        assert draw.is_finished
        assert UNKNOWN not in draw.words
        assert draw.words not in truth.others
        assert 1.5 <= len(draw.words) <= 6
        assert len({*draw.words} & {*RIGHT}) <= 0.75 * len({*draw.words} | {*RIGHT})


@pytest.mark.parametrize(
    ("draw", "fate"),
    [
        (Draw((9, 10), True, 1.0), EndingFate.KEPT),
        (Draw((9, 10), False, 1.0), EndingFate.UNFINISHED),  # it reached the longest
        (Draw((9, UNKNOWN), True, 1.0), EndingFate.RARE),
        (Draw(RIGHT, True, 1.0), EndingFate.REAL),  # the right one
        (Draw((9, 9), True, 1.0), EndingFate.REAL),  # right after the same noun phrase elsewhere
        (Draw((*RIGHT, RIGHT[0]), True, 1.0), EndingFate.LIKE_THE_TRUTH),
        (Draw((9,), True, 1.0), EndingFate.SHORT),
        (Draw((9,) * 7, True, 1.0), EndingFate.LONG),
    ],
)
def test_an_ending_has_the_first_reason_against_it(draw: Draw, fate: EndingFate) -> None:
    assert list(judge_ending([draw], Truth(RIGHT, frozenset({RIGHT, (9, 9)})), EndingParams())) == [fate]


def test_endings_are_new_and_distinct_and_every_draw_is_accounted_for(done: tuple[Path, Oversampled]) -> None:
    rows, found = toy(), done[1]
    by_id = {row.row_id: row for row in rows.rows}
    pool = pool_of(found.pools, wrong=1, population=1023)
    assert 0 < len(pool) <= 30
    for item, item_id in enumerate(pool.item_ids):
        seconds = [pool.second[row] for row in pool.of(item).tolist()]
        row = by_id[item_id]
        assert {pool.first[row] for row in pool.of(item).tolist()} == {row.context}
        assert seconds[0] == f"{row.noun_phrase} {row.ending}."
        assert len(set(seconds)) == len(seconds) <= 7
        assert all(second.startswith(f"{row.noun_phrase} ") and second.endswith(".") for second in seconds)
    real = {f"{row.noun_phrase} {row.ending}." for row in rows.rows}
    assert not real & set(found.pools.filter(pl.col("candidate") > 0)["second"])
    for fold in found.folds:
        assert (list(fold.fates), sum(fold.fates.values())) == ([*EndingFate], 9 * fold.asked)
    assert sum(fold.asked + fold.passed_over for fold in found.folds) == 30


def same(one: Oversampled, other: Oversampled) -> None:
    assert_frame_equal(one.endings, other.endings)
    assert_frame_equal(one.pools, other.pools)
    assert [replace(fold, seconds=0) for fold in one.folds] == [replace(fold, seconds=0) for fold in other.folds]


def test_the_same_seed_gives_the_same_and_another_does_not(done: tuple[Path, Oversampled], tmp_path: Path) -> None:
    same(run(tmp_path / "again"), done[1])
    assert run(done[0], seed=1).endings["ending"].to_list() != done[1].endings["ending"].to_list()
    run(done[0])


def test_other_sampling_teaches_no_model_again(done: tuple[Path, Oversampled], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("situatedgen.filtering.oversampling.language_models.train_language_model", None)
    run(done[0], temperature=0.7)
    same(run(done[0]), done[1])


def test_a_rows_endings_do_not_depend_on_other_rows(done: tuple[Path, Oversampled]) -> None:
    fewer = run(done[0], rows=7)
    ids = fewer.endings["row_id"].unique().to_list()
    assert len(ids) == 7
    assert_frame_equal(fewer.endings, done[1].endings.filter(pl.col("row_id").is_in(ids)))
    run(done[0])


def test_a_damaged_file_is_made_again(done: tuple[Path, Oversampled]) -> None:
    for name in ("writer-1.safetensors", "endings-3.parquet"):
        path = done[0] / name
        path.write_bytes(path.read_bytes()[:-40])
    same(run(done[0]), done[1])


KILLED = """
import sys
from pathlib import Path
from oversampling_support import toy_corpus
from situatedgen.filtering.oversampling.oversample import Place, oversample_corpus
from situatedgen.filtering.oversampling.settings import OversampleSettings
from situatedgen.runtime import Runtime

settings, runtime = OversampleSettings.model_validate_json(sys.argv[2]), Runtime(device="cpu", threads=1)
place = Place(Path(sys.argv[1]), runtime, lambda fold: print(fold.number, flush=True))
oversample_corpus(toy_corpus(settings), settings, place)
"""


@pytest.mark.slow
def test_killed_after_a_fold_it_goes_on_to_the_same_end(done: tuple[Path, Oversampled], tmp_path: Path) -> None:
    with running(KILLED, tmp_path, SETTINGS.model_dump_json()) as script:
        assert [script.read() for _ in range(3)] == ["0", "1", "2"]
    kept = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("*-[012].*")}
    assert len(kept) == 6
    same(run(tmp_path), done[1])
    assert {name: (tmp_path / name).stat().st_mtime_ns for name in kept} == kept


def test_too_few_rows_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="too few for 5 folds"):
        run(tmp_path, count=3)
