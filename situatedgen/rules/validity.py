"""What share of pairs is valid, by a judge's probabilities and the errors it makes on pairs that were labelled."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist, fmean, stdev

CONFIDENCE = 0.95
LEAST_LABELLED = 30
"""From fewer labelled pairs than this the normal interval says too little."""
Labelled = tuple[float, float]
"""How probably a pair is valid by the judge, and whether it is: 1, 0, or 0.5 where those who read it are divided."""


@dataclass(frozen=True, slots=True)
class Share:
    """An estimated share and its interval (95 %), from so many labelled pairs; no interval where there are none."""

    value: float
    low: float | None = None
    high: float | None = None
    labelled: int = 0


def estimate_share(
    probabilities: Sequence[float], labelled: Sequence[Labelled] = (), *, removed: int = 0
) -> Share | None:
    """The share of valid pairs by prediction-powered inference (Angelopoulos et al. 2023); None of no pairs.

    The mean probability, corrected by how far the judge is off on labelled pairs. Every probability is known, so the
    only sampling error is that of the correction. Of the pairs, so many may have been `removed` since because they are
    invalid: the valid ones are then a larger share of those that are left.

    Example:
        >>> estimate_share([0.5, 0.75, 1.0]).value
        0.75
    """
    left = len(probabilities) - removed
    if left <= 0:
        return None
    growth, mean = len(probabilities) / left, fmean(probabilities)
    if len(labelled) < 2:
        return Share(_clip(mean * growth))
    residuals = [valid - probability for probability, valid in labelled]
    value = mean + fmean(residuals)
    margin = NormalDist().inv_cdf((1 + CONFIDENCE) / 2) * stdev(residuals) / sqrt(len(residuals))
    low, middle, high = (_clip(each * growth) for each in (value - margin, value, value + margin))
    return Share(middle, low, high, len(labelled))


def _clip(share: float) -> float:
    return min(max(share, 0.0), 1.0)
