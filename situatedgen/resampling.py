"""Bootstrap intervals and paired tests over examples, from what a metric knows of each."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]
Pooling = Callable[[Numbers], Numbers]
"""From sums of statistics, a row a selection, the score of each selection."""


@dataclass(frozen=True, eq=False)
class Statistics:
    """A row of numbers for each example; the sum of any rows tells the score of those examples together.

    A metric that is a mean has two columns, the example's score and 1. One that is not, as BLEU, has its counts.
    """

    rows: Numbers
    pooled: Pooling

    def score(self, chosen: npt.NDArray[np.bool_] | None = None) -> float:
        """The score of all examples, or of the chosen ones."""
        rows = self.rows if chosen is None else self.rows[chosen]
        return float(self.pooled(rows.sum(axis=0, keepdims=True))[0])

    def alone(self) -> Numbers:
        """The score of each example by itself."""
        return self.pooled(self.rows)


def mean(values: npt.ArrayLike, *, scale: float) -> Statistics:
    """The statistics of a metric whose score is the mean of its examples', times a scale."""
    column = np.asarray(values, dtype=np.float64)
    return Statistics(np.column_stack([column * scale, np.ones(len(column))]), _mean)


def _mean(sums: Numbers) -> Numbers:
    quotient: Numbers = sums[:, 0] / np.maximum(sums[:, 1], 1)
    return quotient


RESAMPLES = 1000
CONFIDENCE = 0.95
BLOCK = 250
MOST_KEPT = 5_000_000
"""Numbers of draws that are kept from one score to the next; 40 MB of them."""


def interval(statistics: Statistics, *, seed: int, resamples: int = RESAMPLES) -> tuple[float, float]:
    """The bootstrap interval of a score (95 %, by percentiles): examples drawn anew, with replacement.

    The draws depend on the seed and the number of examples alone, so that systems are drawn alike.
    """
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(draw_samples(statistics, seed=seed, resamples=resamples), [tail, 1 - tail])
    return float(low), float(high)


def draw_samples(statistics: Statistics, *, seed: int, resamples: int = RESAMPLES) -> Numbers:
    """The score of each of so many draws of the examples, with replacement; at least one example is needed."""
    size = len(statistics.rows)
    draws = _kept_draws if size * resamples <= MOST_KEPT else _draws
    return np.concatenate([statistics.pooled(drawn @ statistics.rows) for drawn in draws(seed, size, resamples)])


def _draws(seed: int, size: int, resamples: int) -> Iterator[Numbers]:
    """How often each example is drawn, a row a draw, in blocks."""
    chance, even = _chance(seed, "bootstrap"), np.full(size, 1 / size)
    for start in range(0, resamples, BLOCK):
        yield chance.multinomial(size, even, size=min(BLOCK, resamples - start)).astype(np.float64)


@lru_cache(maxsize=2)
def _kept_draws(seed: int, size: int, resamples: int) -> tuple[Numbers, ...]:
    """The same draws, kept for the next score of as many examples: drawing takes longer than scoring."""
    return tuple(_draws(seed, size, resamples))


def p_value(left: Statistics, right: Statistics, *, seed: int, resamples: int = RESAMPLES) -> float:
    """How often two systems differ at least as much when their outputs are swapped at random, example by example.

    Approximate randomisation, two-sided; rows of both are of the same examples in the same order.
    """
    chance = _chance(seed, "randomisation")
    seen = abs(left.score() - right.score())
    difference = right.rows - left.rows
    hits = 0
    for start in range(0, resamples, BLOCK):
        swapped = chance.integers(0, 2, size=(min(BLOCK, resamples - start), len(difference)), dtype=np.int8)
        moved = swapped.astype(np.float64) @ difference
        hits += _as_far(left, right, moved, seen)
    return (hits + 1) / (resamples + 1)


def _as_far(left: Statistics, right: Statistics, moved: Numbers, seen: float) -> int:
    one = left.pooled(left.rows.sum(axis=0) + moved)
    two = right.pooled(right.rows.sum(axis=0) - moved)
    # Sums in another order differ in their last digits.
    return int((np.abs(one - two) >= seen - 1e-9).sum())


def _chance(seed: int, purpose: str) -> np.random.Generator:
    digest = hashlib.sha256(f"{seed}\x1f{purpose}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "big"))
