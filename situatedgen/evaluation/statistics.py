"""What a metric knows of each example, and the score of any selection of examples."""

from collections.abc import Callable
from dataclasses import dataclass

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
