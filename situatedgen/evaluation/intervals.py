"""How sure a score is, and whether one system is better than another: both by chance, seeded."""

import hashlib
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from situatedgen.evaluation.statistics import Numbers, Statistics

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
    low, high = np.quantile(drawn(statistics, seed=seed, resamples=resamples), [tail, 1 - tail])
    return float(low), float(high)


def drawn(statistics: Statistics, *, seed: int, resamples: int = RESAMPLES) -> Numbers:
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
