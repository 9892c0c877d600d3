"""From the tables of a build to filtered questions, by either method, with the accuracy before and after."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from situatedgen.filtering.aflite import Round, aflite
from situatedgen.filtering.assigning import first_assignment, questions
from situatedgen.filtering.auditing import Auditor, encoded
from situatedgen.filtering.choice.answers import answers
from situatedgen.filtering.choice.choosing import chosen
from situatedgen.filtering.discriminator import Discriminator
from situatedgen.filtering.history import Iteration
from situatedgen.filtering.loop import check_pool, filtered
from situatedgen.filtering.pool import Pool, Rows, pool_of, texts
from situatedgen.filtering.settings import FilterSettings
from situatedgen.models.roles import Encoder
from situatedgen.runtime import Runtime

if TYPE_CHECKING:
    from situatedgen.filtering.baselines.measuring import Accuracy

Step = Iteration | Round
ITERATIONS, PREPARED = "filtering", "prepared"


@dataclass(frozen=True)
class Made:
    """Filtered questions, and how they came about; seconds by what they were spent on, in this run."""

    questions: pl.DataFrame
    counts: Mapping[str, int]
    before: Mapping[str, float]
    after: Mapping[str, float]
    baselines: "Mapping[str, tuple[Accuracy, ...]]"
    history: tuple[Step, ...]
    seconds: Mapping[str, float]


@dataclass(frozen=True)
class Workplace:
    """Where a filtering is done: its folder, how models run, who gives vectors, and who is told."""

    folder: Path
    runtime: Runtime
    encoder: Callable[[], Encoder]
    listener: Callable[[Step], None]


def made(tables: Mapping[str, pl.DataFrame], settings: FilterSettings, place: Workplace) -> Made:
    """The questions that a filter leaves or makes of the examples of a build.

    Raises:
        SettingsError: too few pairs can be regrouped, or the folder holds another filtering.
    """
    # Loads PyTorch.
    from situatedgen.filtering.committee.preparing import prepared  # noqa: PLC0415

    (place.folder / PREPARED).mkdir(parents=True, exist_ok=True)
    clock = Clock({})
    with clock("regrouping"):
        found = chosen(tables["examples"], tables["keywords"], tables["splits"], params=settings.choice)
        pool = pool_of(found.pools, wrong=settings.choice.wrong, population=settings.choice.population)
    check_pool(pool)
    with clock("reading and perplexities"):
        committee = prepared(pool, settings.committee, folder=place.folder / PREPARED, runtime=place.runtime)
    with clock("filtering"):
        first, last, items, history = METHODS[settings.method](pool, committee, settings, place)
    splits = dict(tables["examples"].select("example_id", pl.col("split").cast(pl.String)).iter_rows())
    auditor = Auditor(pool, committee, settings, splits, place.folder / PREPARED, place.runtime, place.encoder)
    everything = np.arange(len(pool))
    with clock("accuracy"):
        before, after = auditor.accuracies(first, everything), auditor.accuracies(last, items)
    with clock("baselines"):
        simple = {"before": auditor.baselines(first, everything), "after": auditor.baselines(last, items)}
    rows = answers(pool, last, tables["examples"], seed=settings.choice.seed)
    kept = rows.filter(pl.col("example_id").is_in([pool.item_ids[item] for item in items.tolist()]))
    return Made(kept, found.counts, before, after, simple, history, clock.seconds)


Run = tuple[Rows, Rows, Rows, tuple[Step, ...]]
"""The wrong candidates before and after, the items that stay, and the steps."""


def by_af(pool: Pool, committee: Discriminator, settings: FilterSettings, place: Workplace) -> Run:
    """Adversarial filtering: all items stay, with harder wrong candidates."""
    params = settings.filter.model_copy(update={"wrong": settings.choice.wrong})
    found = filtered(pool, committee, params, folder=place.folder / ITERATIONS, listener=place.listener)
    return found.first, found.last, np.arange(len(pool)), found.history


def by_aflite(pool: Pool, _: Discriminator, settings: FilterSettings, place: Workplace) -> Run:
    """AFLite: the wrong candidates stay, and the items that linear models answer go."""
    first = first_assignment(pool, wrong=settings.choice.wrong, seed=settings.filter.seed)
    vectors = encoded(texts(pool, questions(pool, first).ravel().tolist()), place.encoder())
    found = aflite(
        pool.groups, vectors.reshape(len(pool), -1, vectors.shape[1]), settings.aflite, listener=place.listener
    )
    return first, first, found.items, found.history


METHODS: dict[str, Callable[[Pool, Discriminator, FilterSettings, Workplace], Run]] = {"af": by_af, "aflite": by_aflite}


@dataclass(frozen=True)
class Clock:
    """Seconds, by what they were spent on."""

    seconds: dict[str, float]

    @contextmanager
    def __call__(self, what: str) -> Iterator[None]:
        """Count what this block takes."""
        began = time.perf_counter()
        yield
        self.seconds[what] = round(time.perf_counter() - began, 2)
