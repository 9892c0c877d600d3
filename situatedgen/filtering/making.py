"""From the tables of a build to filtered questions, by either method, with the accuracy before and after."""

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from situatedgen.filtering.aflite import Round, aflite
from situatedgen.filtering.assigning import first_assignment, questions
from situatedgen.filtering.checkpoints import write
from situatedgen.filtering.choice.answers import answers
from situatedgen.filtering.choice.choosing import chosen
from situatedgen.filtering.discriminator import Discriminator
from situatedgen.filtering.history import Iteration
from situatedgen.filtering.loop import audited, filtered
from situatedgen.filtering.pool import Pool, Rows, pool_of, texts
from situatedgen.filtering.settings import FilterSettings
from situatedgen.models.roles import Encoder
from situatedgen.runtime import Runtime

Step = Iteration | Round
ITERATIONS, PREPARED = "filtering", "prepared"


@dataclass(frozen=True)
class Made:
    """Filtered questions, and how they came about; seconds by what they were spent on, in this run."""

    questions: pl.DataFrame
    counts: Mapping[str, int]
    before: Mapping[str, float]
    after: Mapping[str, float]
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
    with clock("reading and perplexities"):
        committee = prepared(pool, settings.committee, folder=place.folder / PREPARED, runtime=place.runtime)
    with clock("filtering"):
        first, last, items, history = METHODS[settings.method](pool, committee, settings, place)
    with clock("accuracy"):
        everything = np.arange(len(pool))
        before = _audited(pool, committee, first, everything, settings, place)
        after = _audited(pool, committee, last, items, settings, place)
    rows = answers(pool, last, tables["examples"], seed=settings.choice.seed)
    kept = rows.filter(pl.col("example_id").is_in([pool.item_ids[item] for item in items.tolist()]))
    return Made(kept, found.counts, before, after, history, clock.seconds)


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
    vectors = _encoded(texts(pool, questions(pool, first).ravel().tolist()), place.encoder())
    found = aflite(
        pool.groups, vectors.reshape(len(pool), -1, vectors.shape[1]), settings.aflite, listener=place.listener
    )
    return first, first, found.items, found.history


METHODS: dict[str, Callable[[Pool, Discriminator, FilterSettings, Workplace], Run]] = {"af": by_af, "aflite": by_aflite}


def _encoded(passages: list[str], encoder: Encoder) -> NDArray[np.float32]:
    """The vector of each passage; a passage that stands twice is encoded once."""
    distinct = sorted(set(passages))
    places = {passage: number for number, passage in enumerate(distinct)}
    return encoder.encode(distinct)[[places[passage] for passage in passages]]


def _audited(
    pool: Pool, committee: Discriminator, assignment: Rows, items: Rows, settings: FilterSettings, place: Workplace
) -> dict[str, float]:
    """The committee's accuracy on items as they are; what was measured before is found in the folder."""
    chance = settings.filter.model_dump_json(include={"seed", "train_share"})
    told = f"{pool.digest} {committee.identity} {chance} {settings.audits}"
    key = hashlib.sha256(told.encode("utf-8") + assignment.tobytes() + items.tobytes()).hexdigest()[:16]
    path = place.folder / PREPARED / f"accuracy-{key}.json"
    if path.is_file():
        known: dict[str, float] = json.loads(path.read_text(encoding="utf-8"))
        return known
    found = audited(pool, committee, assignment, settings.filter, items=items, times=settings.audits, purpose="audit")
    write(path, json.dumps(found).encode("utf-8"))
    return found


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
