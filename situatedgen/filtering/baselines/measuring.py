"""The accuracy table of the baselines: a row a model, a column for each thing that it may see."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import polars as pl
from numpy.typing import NDArray

from situatedgen.errors import SettingsError
from situatedgen.filtering.assigning import dealt, is_right
from situatedgen.filtering.baselines.models import MODELS, Tools
from situatedgen.filtering.baselines.params import BaselineParams
from situatedgen.filtering.baselines.sights import Sight, seen
from situatedgen.filtering.discriminator import Discriminator
from situatedgen.filtering.pool import Pool, Rows
from situatedgen.seeds import generator
from situatedgen.vocabulary import Split

HELD_OUT = "held out"
NORMAL = 1.96
"""How many deviations to either side hold 95 %."""


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How many questions of a part a model answers, with a 95 % interval (Wilson), as if questions were independent."""

    model: str
    sight: str
    part: str
    questions: int
    accuracy: float
    low: float
    high: float


@dataclass(frozen=True)
class Trial:
    """What is learned from and what is asked after it, by the name of the part."""

    train: Rows
    asked: dict[str, Rows]


def measured(questions: pl.DataFrame, tools: Tools) -> tuple[Accuracy, ...]:
    """The accuracy of every baseline for everything that it may see, on every part that is held out.

    Models learn from train and answer dev and test, where the questions have splits. Where they have none, or folds
    are asked for, whole groups are held out in turn, and every question is answered once.
    """
    found: list[Accuracy] = []
    for sight in Sight:
        pool = seen(questions, sight)
        trials = list(_trials(questions, pool, tools.params))
        found += [one for name in tools.params.models for one in _accuracies(name, sight, pool, trials, tools)]
    return tuple(found)


def _trials(questions: pl.DataFrame, pool: Pool, params: BaselineParams) -> Iterator[Trial]:
    told = dict(questions.select("item_id", "split").iter_rows())
    splits = np.asarray([told[item_id] for item_id in pool.item_ids])
    train = np.flatnonzero(splits == Split.TRAIN.value)
    asked = {split.value: np.flatnonzero(splits == split.value) for split in (Split.DEV, Split.TEST)}
    if params.folds == 0 and len(train) and any(map(len, asked.values())):
        yield Trial(train, {name: items for name, items in asked.items() if len(items)})
        return
    yield from _turns(pool, params)


def _turns(pool: Pool, params: BaselineParams) -> Iterator[Trial]:
    count = min(params.folds or 5, len(set(pool.groups)))
    if count < 2:
        raise SettingsError(f"baselines: {len(pool)} questions in {count} groups, and no splits; two groups are needed")
    part = dealt(pool.groups, count=count, seed=params.seed, purpose="baselines")
    for number in range(count):
        yield Trial(np.flatnonzero(part != number), {HELD_OUT: np.flatnonzero(part == number)})


def _accuracies(name: str, sight: Sight, pool: Pool, trials: Sequence[Trial], tools: Tools) -> Iterator[Accuracy]:
    model = MODELS[name](pool, tools)
    rights: dict[str, list[NDArray[np.float64]]] = {}
    for number, trial in enumerate(trials):
        for part, right in _answered(model, pool, trial, tools.params, f"{sight} {number}").items():
            rights.setdefault(part, []).append(right)
    for part, each in rights.items():
        yield told(name, sight, part, np.concatenate(each))


def _answered(
    model: Discriminator, pool: Pool, trial: Trial, params: BaselineParams, purpose: str
) -> dict[str, NDArray[np.float64]]:
    """For each question of each part, the share of the runs in which it was answered rightly."""
    rows = np.stack([pool.of(item) for item in range(len(pool))])
    found = {part: np.zeros(len(items)) for part, items in trial.asked.items()}
    for run in range(params.runs):
        seed = generator(params.seed, "baselines", model.identity, purpose, str(run)).getrandbits(31)
        judge = model.fit(pool, rows[trial.train], seed=seed)
        for part, items in trial.asked.items():
            scores = judge.scores(rows[items].ravel())[model.decides].reshape(len(items), -1)
            found[part] += is_right(scores) / params.runs
    return found


def told(model: str, sight: str, part: str, right: NDArray[np.float64]) -> Accuracy:
    """The accuracy over questions of which each was answered rightly in some share."""
    low, high = interval(float(right.mean()), len(right))
    return Accuracy(model, str(sight), part, len(right), round(float(right.mean()), 4), round(low, 4), round(high, 4))


def interval(share: float, count: int) -> tuple[float, float]:
    """Between what a share of so many lies with 95 % (Wilson 1927).

    Example:
        >>> [round(bound, 3) for bound in interval(0.25, 100)]
        [0.175, 0.343]
    """
    square = NORMAL**2
    middle = (share + square / (2 * count)) / (1 + square / count)
    width = NORMAL / (1 + square / count) * sqrt(share * (1 - share) / count + square / (4 * count**2))
    return max(0.0, middle - width), min(1.0, middle + width)
