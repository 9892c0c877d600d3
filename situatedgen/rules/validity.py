"""Estimates the share of valid pairs from a judge's probabilities and its errors on labelled pairs."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist, fmean, stdev

CONFIDENCE = 0.95
LEAST_LABELLED = 30
"""Minimum number of labelled pairs for a meaningful normal interval."""
Labelled = tuple[float, float]
"""The judge's probability that a pair is valid, and its label: 1, 0, or 0.5 if the annotators are tied."""


@dataclass(frozen=True, slots=True)
class Share:
    """An estimated share, its 95 % interval and the number of labelled pairs; no interval without labelled pairs."""

    value: float
    low: float | None = None
    high: float | None = None
    labelled: int = 0


def estimate_share(
    probabilities: Sequence[float], labelled: Sequence[Labelled] = (), *, removed: int = 0
) -> Share | None:
    """The share of valid pairs by prediction-powered inference (Angelopoulos et al. 2023); None without pairs.

    The mean probability, corrected by the judge's mean error on labelled pairs. Every probability is known, so the only
    sampling error is that of the correction. `removed` pairs were taken out since because they are invalid, which makes
    the valid ones a larger share of the rest.

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
