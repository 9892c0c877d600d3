"""Bootstrap intervals and paired significance tests, computed from per-example statistics of a metric."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]
Pooling = Callable[[Numbers], Numbers]
"""Maps summed statistics, one row per selection of examples, to the score of each selection."""


@dataclass(frozen=True, eq=False)
class Statistics:
    """One row of numbers per example; the score of any set of examples is a function of the sum of its rows.

    A metric that is a mean has two columns: the example's score and 1. Any other, such as BLEU, has its counts.
    """

    rows: Numbers
    pooled: Pooling

    def score(self, chosen: npt.NDArray[np.bool_] | None = None) -> float:
        """Score all examples, or only the chosen ones."""
        rows = self.rows if chosen is None else self.rows[chosen]
        return float(self.pooled(rows.sum(axis=0, keepdims=True))[0])

    def alone(self) -> Numbers:
        """Score each example on its own."""
        return self.pooled(self.rows)


def mean(values: npt.ArrayLike, *, scale: float) -> Statistics:
    """Statistics of a metric whose score is the mean of its per-example scores, times a scale."""
    column = np.asarray(values, dtype=np.float64)
    return Statistics(np.column_stack([column * scale, np.ones(len(column))]), _mean)


def _mean(sums: Numbers) -> Numbers:
    quotient: Numbers = sums[:, 0] / np.maximum(sums[:, 1], 1)
    return quotient


RESAMPLES = 1000
CONFIDENCE = 0.95
BLOCK = 250
MOST_KEPT = 5_000_000
"""Upper limit for the number of cached draw counts; they take 40 MB."""


def interval(statistics: Statistics, *, seed: int, resamples: int = RESAMPLES) -> tuple[float, float]:
    """Percentile bootstrap interval (95 %) of a score: examples are resampled with replacement.

    The draws depend only on the seed and the number of examples, so all systems get the same draws.
    """
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(draw_samples(statistics, seed=seed, resamples=resamples), [tail, 1 - tail])
    return float(low), float(high)


def draw_samples(statistics: Statistics, *, seed: int, resamples: int = RESAMPLES) -> Numbers:
    """Score of each bootstrap sample, drawn with replacement; requires at least one example."""
    size = len(statistics.rows)
    draws = _cached_draws if size * resamples <= MOST_KEPT else _draws
    return np.concatenate([statistics.pooled(drawn @ statistics.rows) for drawn in draws(seed, size, resamples)])


def _draws(seed: int, size: int, resamples: int) -> Iterator[Numbers]:
    """Yield blocks with one row per bootstrap sample: how often it contains each example."""
    chance, even = _random_generator(seed, "bootstrap"), np.full(size, 1 / size)
    for start in range(0, resamples, BLOCK):
        yield chance.multinomial(size, even, size=min(BLOCK, resamples - start)).astype(np.float64)


@lru_cache(maxsize=2)
def _cached_draws(seed: int, size: int, resamples: int) -> tuple[Numbers, ...]:
    """Cached `_draws`: drawing takes longer than scoring, and the next metric needs the same draws."""
    return tuple(_draws(seed, size, resamples))


def p_value(left: Statistics, right: Statistics, *, seed: int, resamples: int = RESAMPLES) -> float:
    """Two-sided p-value of the difference between two systems, by approximate randomisation.

    It is the share of random swaps of the two outputs, example by example, that yield at least the observed
    difference. Both statistics must cover the same examples in the same order.
    """
    chance = _random_generator(seed, "randomisation")
    seen = abs(left.score() - right.score())
    difference = right.rows - left.rows
    hits = 0
    for start in range(0, resamples, BLOCK):
        swapped = chance.integers(0, 2, size=(min(BLOCK, resamples - start), len(difference)), dtype=np.int8)
        moved = swapped.astype(np.float64) @ difference
        hits += _count_extreme(left, right, moved, seen)
    return (hits + 1) / (resamples + 1)


def _count_extreme(left: Statistics, right: Statistics, moved: Numbers, seen: float) -> int:
    one = left.pooled(left.rows.sum(axis=0) + moved)
    two = right.pooled(right.rows.sum(axis=0) - moved)
    # The order of summation affects the last digits.
    return int((np.abs(one - two) >= seen - 1e-9).sum())


def _random_generator(seed: int, purpose: str) -> np.random.Generator:
    digest = hashlib.sha256(f"{seed}\x1f{purpose}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "big"))
