"""Build filtered questions from the tables of a build, with dataset card and accuracy before and after."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from situatedgen.dataset.configuration import CHOICE, CHOICE_FIELDS
from situatedgen.filtering import baselines
from situatedgen.filtering.adversarial import Iteration, check_pool, filter_pool
from situatedgen.filtering.aflite import Round, aflite
from situatedgen.filtering.audit import Auditor, encode_texts
from situatedgen.filtering.choice.questions import answers, choose_questions
from situatedgen.filtering.pool import Discriminator, Pool, Rows, first_assignment, pool_of, questions, texts
from situatedgen.filtering.settings import FilterSettings
from situatedgen.models.roles import Encoder
from situatedgen.runtime import Runtime
from situatedgen.vocabulary import Split

if TYPE_CHECKING:
    from situatedgen.filtering.baselines import Accuracy

Step = Iteration | Round
ITERATIONS, PREPARED = "filtering", "prepared"


@dataclass(frozen=True)
class Made:
    """Filtered questions with counts, accuracies and history; `seconds` is the time per step in this run."""

    questions: pl.DataFrame
    counts: Mapping[str, int]
    before: Mapping[str, float]
    after: Mapping[str, float]
    baselines: "Mapping[str, tuple[Accuracy, ...]]"
    history: tuple[Step, ...]
    seconds: Mapping[str, float]


@dataclass(frozen=True)
class Environment:
    """Where a filtering runs: cache folder, model runtime, encoder factory, and progress listener."""

    folder: Path
    runtime: Runtime
    encoder: Callable[[], Encoder]
    listener: Callable[[Step], None]


def make_questions(tables: Mapping[str, pl.DataFrame], settings: FilterSettings, place: Environment) -> Made:
    """Turn the examples of a build into filtered questions.

    Raises:
        SettingsError: too few pairs can be regrouped, or the folder holds another filtering.
    """
    # Loads PyTorch.
    from situatedgen.filtering.committee import prepare_committee  # noqa: PLC0415

    (place.folder / PREPARED).mkdir(parents=True, exist_ok=True)
    clock = Clock({})
    with clock("regrouping"):
        found = choose_questions(tables["examples"], tables["keywords"], tables["splits"], params=settings.choice)
        pool = pool_of(found.pools, wrong=settings.choice.wrong, population=settings.choice.population)
    check_pool(pool)
    with clock("parsing and perplexities"):
        committee = prepare_committee(pool, settings.committee, folder=place.folder / PREPARED, runtime=place.runtime)
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
"""Wrong candidates before and after, remaining items, and steps."""


def by_af(pool: Pool, committee: Discriminator, settings: FilterSettings, place: Environment) -> Run:
    """Adversarial filtering: keeps all items, with harder wrong candidates."""
    params = settings.filter.model_copy(update={"wrong": settings.choice.wrong})
    found = filter_pool(pool, committee, params, folder=place.folder / ITERATIONS, listener=place.listener)
    return found.first, found.last, np.arange(len(pool)), found.history


def by_aflite(pool: Pool, _: Discriminator, settings: FilterSettings, place: Environment) -> Run:
    """AFLite: keeps the wrong candidates, and drops the items that linear models answer."""
    first = first_assignment(pool, wrong=settings.choice.wrong, seed=settings.filter.seed)
    vectors = encode_texts(texts(pool, questions(pool, first).ravel().tolist()), place.encoder())
    found = aflite(
        pool.groups, vectors.reshape(len(pool), -1, vectors.shape[1]), settings.aflite, listener=place.listener
    )
    return first, first, found.items, found.history


METHODS: dict[str, Callable[[Pool, Discriminator, FilterSettings, Environment], Run]] = {
    "af": by_af,
    "aflite": by_aflite,
}


@dataclass(frozen=True)
class Clock:
    """Seconds per step."""

    seconds: dict[str, float]

    @contextmanager
    def __call__(self, what: str) -> Iterator[None]:
        """Time the block."""
        began = time.perf_counter()
        yield
        self.seconds[what] = round(time.perf_counter() - began, 2)


CONFIGURATION = CHOICE.folder
METHOD_NAMES = {"af": "adversarial filtering (Zellers et al. 2018)", "aflite": "AFLite (Le Bras et al. 2020)"}
BASELINES = (
    "Accuracy of simple models that see the end of the second sentence, all of it, or both sentences; in"
    " brackets, the 95 % interval."
)
HEADER = """\
---
pretty_name: SituatedGen, situated choice
language:
- en
task_categories:
- multiple-choice
configs:
- config_name: {name}
  data_files:
{files}
---

# Situated choice

Each question has {answers} pairs of sentences that contain the same keywords. One pair is true; in the others, places,
times or other keywords are in the wrong sentence. Filtered by {method}.
"""


def card(found: Made, settings: FilterSettings) -> str:
    """The text of the README next to the questions."""
    files = "\n".join(f"  - split: {split}\n    path: {CONFIGURATION}/{split}.parquet" for split in Split)
    header = HEADER.format(
        name=CONFIGURATION, files=files, answers=settings.choice.wrong + 1, method=METHOD_NAMES[settings.method]
    )
    sections = {
        "": _markdown_table(
            ("split", "questions"),
            [(split, found.questions.filter(pl.col("split") == split).height) for split in Split],
        ),
        "## Pairs": _markdown_table(("pairs of the dataset", "count"), list(found.counts.items())),
        "## Accuracy": "On held-out communities, by newly trained models.\n\n"
        + _markdown_table(("model", "before", "after"), list(_accuracy_rows(found))),
        **_baseline_section(found, settings),
        "## Fields": _markdown_table(
            ("field", "meaning"), [(f"`{name}`", field.meaning) for name, field in CHOICE_FIELDS.items()]
        ),
    }
    return "\n".join([header, *(f"{title}\n\n{text}\n".lstrip() for title, text in sections.items())])


def _baseline_section(found: Made, settings: FilterSettings) -> dict[str, str]:
    """The section on baselines; empty if none were run."""
    if not found.baselines["before"]:
        return {}
    said = f"{BASELINES} Chance is {100 / (1 + settings.choice.wrong):.0f} %.\n\n"
    return {
        "## Baselines": said + _markdown_table(baselines.header(found.baselines), list(baselines.rows(found.baselines)))
    }


def _accuracy_rows(found: Made) -> Iterator[tuple[object, ...]]:
    for name, before in found.before.items():
        yield name, f"{before:.1%}", f"{found.after[name]:.1%}"


def _markdown_table(head: tuple[str, ...], rows: list[tuple[object, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)
