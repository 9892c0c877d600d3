"""Wrong endings chosen by adversarial filtering: the loop of Algorithm 1 on the endings that were written."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from situatedgen.filtering.assigning import questions
from situatedgen.filtering.history import Iteration
from situatedgen.filtering.loop import audited, filtered
from situatedgen.filtering.making import ITERATIONS, PREPARED
from situatedgen.filtering.oversampling.settings import OversampleSettings
from situatedgen.filtering.pool import Pool, Rows, pool_of
from situatedgen.runtime import Runtime
from situatedgen.schemas import TEXT, Schema
from situatedgen.seeds import order

QUESTIONS = Schema(
    {"row_id": TEXT, "context": TEXT, "choices": pl.List(pl.String), "label": pl.Int64()}, key=("row_id",)
)
"""A question: what a sentence follows, sentences of which one is real, and the place of that one, from 0."""


@dataclass(frozen=True)
class Hardened:
    """Questions whose wrong endings were chosen against a committee, and its accuracy before, meanwhile and after."""

    questions: pl.DataFrame
    before: Mapping[str, float]
    after: Mapping[str, float]
    history: tuple[Iteration, ...]


def hardened(
    pools: pl.DataFrame,
    settings: OversampleSettings,
    *,
    folder: Path,
    runtime: Runtime,
    listener: Callable[[Iteration], None] = lambda _: None,
) -> Hardened:
    """The questions of rows that have enough wrong endings; iterations that are done are found in the folder.

    Raises:
        SettingsError: too few rows have enough wrong endings.
    """
    # Loads PyTorch.
    from situatedgen.filtering.committee.preparing import prepared  # noqa: PLC0415

    (folder / PREPARED).mkdir(parents=True, exist_ok=True)
    pool = pool_of(pools, wrong=settings.filter.wrong, population=settings.filter.population)
    committee = prepared(pool, settings.committee, folder=folder / PREPARED, runtime=runtime)
    found = filtered(pool, committee, settings.filter, folder=folder / ITERATIONS, listener=listener)
    before, after = (
        audited(pool, committee, assignment, settings.filter, times=settings.audits, purpose="audit")
        for assignment in (found.first, found.last)
    )
    return Hardened(_questions(pool, found.last, settings.filter.seed), before, after, found.history)


def _questions(pool: Pool, assignment: Rows, seed: int) -> pl.DataFrame:
    rows = []
    for item_id, own in zip(pool.item_ids, questions(pool, assignment).tolist(), strict=True):
        places = order(seed, f"answers\x1f{item_id}", len(own))
        rows.append((item_id, pool.first[own[0]], [pool.second[own[place]] for place in places], places.index(0)))
    return QUESTIONS.frame(rows)
