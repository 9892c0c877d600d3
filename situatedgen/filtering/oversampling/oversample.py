"""Oversample a corpus: write many wrong endings per row with one model per fold, then filter them adversarially."""

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from situatedgen.errors import SettingsError
from situatedgen.filtering.adversarial import Iteration, audit_pool, filter_pool
from situatedgen.filtering.make import ITERATIONS, PREPARED
from situatedgen.filtering.oversampling.corpus import Corpus, EndingFate, Row, sentence
from situatedgen.filtering.oversampling.endings import EndingWriter, Truth, keep_endings, read_endings
from situatedgen.filtering.oversampling.language_models import Perplexities, Writers
from situatedgen.filtering.oversampling.settings import OversampleSettings
from situatedgen.filtering.pool import POOLS, Pool, Rows, assign_parts, pool_of, questions
from situatedgen.models import registry
from situatedgen.models.weights import prepare
from situatedgen.runtime import Runtime
from situatedgen.schemas import TEXT, Schema
from situatedgen.seeds import order


@dataclass(frozen=True, slots=True)
class Fold:
    """Result of a fold: its model's perplexities on its rows, and the fates of the sampled endings.

    `passed_over` counts rows that were skipped because the parse rejects their own ending.
    """

    number: int
    rows: int
    learned_from: int
    perplexities: Perplexities
    asked: int
    passed_over: int
    fates: dict[str, int]
    seconds: float


@dataclass(frozen=True)
class Oversampled:
    """The endings of all selected rows, the same as a pool of candidates, and the folds."""

    endings: pl.DataFrame
    pools: pl.DataFrame
    folds: tuple[Fold, ...]


@dataclass(frozen=True)
class Place:
    """Where an oversampling runs: cache folder, model runtime, and listeners for finished folds and rows."""

    folder: Path
    runtime: Runtime
    listener: Callable[[Fold], None] = lambda _: None
    advance: Callable[[int], None] = lambda _: None


def oversample_corpus(corpus: Corpus, settings: OversampleSettings, place: Place) -> Oversampled:
    """Write the endings of a corpus, fold by fold; finished folds are read from the folder.

    Raises:
        SettingsError: the corpus has too few rows for the folds.
    """
    rows, fold = corpus.rows, _assign_folds(corpus.rows, settings)
    ending_writer = _make_ending_writer(corpus, settings, place.runtime)
    writers = Writers(corpus, fold, settings.writer, place.folder, prepare(place.runtime))
    asked, done = _select_rows(rows, settings), list[tuple[Fold, pl.DataFrame]]()
    for number in range(settings.writer.folds):
        mine = [row for row, own, is_asked in zip(rows, fold, asked, strict=True) if own == number and is_asked]
        done.append(_load_or_write_fold(writers, ending_writer, number, mine, place.advance))
        place.listener(done[-1][0])
    endings = pl.concat([found for _, found in done]).sort("row_id", "number")
    return Oversampled(endings, pools(corpus, endings), tuple(one for one, _ in done))


def row_count(corpus: Corpus, settings: OversampleSettings) -> int:
    """Number of rows for which endings are sampled."""
    return sum(_select_rows(corpus.rows, settings))


def _assign_folds(rows: Sequence[Row], settings: OversampleSettings) -> NDArray[np.int64]:
    groups = [row.group for row in rows]
    if len(set(groups)) < settings.writer.folds:
        raise SettingsError(
            f"{len(rows):,} rows in {len(set(groups)):,} groups are too few for {settings.writer.folds} folds;"
            " use a larger corpus, or lower `rows.min_count` or `rows.min_words`"
        )
    return assign_parts(groups, count=settings.writer.folds, seed=settings.writer.seed, purpose="writers")


def _select_rows(rows: Sequence[Row], settings: OversampleSettings) -> list[bool]:
    """For each row, whether endings are sampled for it."""
    sampling = settings.sampling
    may = [number for number, row in enumerate(rows) if row.context or not sampling.with_context]
    drawn = order(sampling.seed, "rows", len(may))[: sampling.rows or len(may)]
    chosen = {may[number] for number in drawn}
    return [number in chosen for number in range(len(rows))]


def _make_ending_writer(corpus: Corpus, settings: OversampleSettings, runtime: Runtime) -> EndingWriter:
    words, after = corpus.words, dict[tuple[str, ...], set[tuple[int, ...]]]()
    for row in corpus.rows:
        after.setdefault(_noun_phrase_words(row), set()).add(tuple(words.numbers(row.after)))
    truths = {row.row_id: Truth(tuple(words.numbers(row.after)), after[_noun_phrase_words(row)]) for row in corpus.rows}
    parser = registry.load("parser", settings.rows.parser, runtime)
    return EndingWriter(words, parser, settings.sampling, settings.endings, settings.rows.max_words, truths)


def _noun_phrase_words(row: Row) -> tuple[str, ...]:
    """The words of a row's noun phrase: a real ending of another row with the same ones may be true here too."""
    return row.own[: len(row.own) - len(row.after)]


def _load_or_write_fold(
    writers: Writers, ending_writer: EndingWriter, number: int, rows: Sequence[Row], advance: Callable[[int], None]
) -> tuple[Fold, pl.DataFrame]:
    """A fold and its endings, read from the folder or written now."""
    path, began = writers.folder / f"endings-{number}.parquet", time.perf_counter()
    key_parts = (writers.key(number), ending_writer.identity, *(row.row_id for row in rows))
    key = hashlib.sha256("\x1f".join(key_parts).encode("utf-8")).hexdigest()
    writer, perplexities = writers.writer(number)
    known = read_endings(path, key)
    found, seconds = known or (ending_writer.write_endings(writer, rows, advance), time.perf_counter() - began)
    if known is None:
        keep_endings(path, found, key, seconds)
    counts = dict(found.group_by("verdict").len().iter_rows())
    fates = {fate.value: counts.get(fate.value, 0) for fate in EndingFate}
    held = int((writers.fold == number).sum())
    asked, learned_from = found["row_id"].n_unique(), len(writers.fold) - held
    return Fold(number, held, learned_from, perplexities, asked, len(rows) - asked, fates, round(seconds, 2)), found


def pools(corpus: Corpus, endings: pl.DataFrame) -> pl.DataFrame:
    """Rows as items to filter: the real ending, printed like the others, then the kept ones."""
    words = corpus.words
    kept = endings.filter(pl.col("verdict") == EndingFate.KEPT.value)
    by_row = dict(kept.group_by("row_id", maintain_order=True).agg("ending").iter_rows())
    table = [
        (row.row_id, row.group, number, row.context, sentence(row.noun_phrase, ending))
        for row in corpus.rows
        if row.row_id in by_row
        for number, ending in enumerate([words.text(words.numbers(row.after)), *by_row[row.row_id]])
    ]
    return POOLS.frame(table)


QUESTIONS = Schema(
    {"row_id": TEXT, "context": TEXT, "choices": pl.List(pl.String), "label": pl.Int64()}, key=("row_id",)
)
"""A question: context, sentences of which one is real, and the index of that one, from 0."""


@dataclass(frozen=True)
class Hardened:
    """Questions with adversarially filtered wrong endings, and the committee's accuracy before and after."""

    questions: pl.DataFrame
    before: Mapping[str, float]
    after: Mapping[str, float]
    history: tuple[Iteration, ...]


def harden(
    pools: pl.DataFrame,
    settings: OversampleSettings,
    *,
    folder: Path,
    runtime: Runtime,
    listener: Callable[[Iteration], None] = lambda _: None,
) -> Hardened:
    """Filter the endings of all rows that have enough; finished iterations are read from the folder.

    Raises:
        SettingsError: too few rows have enough wrong endings.
    """
    # Loads PyTorch.
    from situatedgen.filtering.committee import prepare_committee  # noqa: PLC0415

    (folder / PREPARED).mkdir(parents=True, exist_ok=True)
    pool = pool_of(pools, wrong=settings.filter.wrong, population=settings.filter.population)
    committee = prepare_committee(pool, settings.committee, folder=folder / PREPARED, runtime=runtime)
    found = filter_pool(pool, committee, settings.filter, folder=folder / ITERATIONS, listener=listener)
    before, after = (
        audit_pool(pool, committee, assignment, settings.filter, times=settings.audits, purpose="audit")
        for assignment in (found.first, found.last)
    )
    return Hardened(_questions(pool, found.last, settings.filter.seed), before, after, found.history)


def _questions(pool: Pool, assignment: Rows, seed: int) -> pl.DataFrame:
    rows = []
    for item_id, own in zip(pool.item_ids, questions(pool, assignment).tolist(), strict=True):
        places = order(seed, f"answers\x1f{item_id}", len(own))
        rows.append((item_id, pool.first[own[0]], [pool.second[own[place]] for place in places], places.index(0)))
    return QUESTIONS.frame(rows)
