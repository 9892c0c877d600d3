"""How far people agree: percent, Cohen's kappa, Krippendorff's alpha, each as sums over pairs that can be drawn anew.

A coefficient that is corrected for chance means nothing where everybody always gave the same answer: it is NaN there.
"""

import numpy as np

from situatedgen.evaluation.statistics import Numbers, Statistics
from situatedgen.review.ratings import Codes


def percent(codes: Codes, values: int) -> Statistics:
    """The share of agreement: of all couples of answers to the same question about the same pair, those alike."""
    counts = _counts(codes, values)
    size = counts.sum(axis=1)
    alike = (counts * (counts - 1)).sum(axis=1)
    return Statistics(np.column_stack([alike, size * (size - 1)]), _share)


def kappa(codes: Codes, values: int) -> Statistics:
    """Cohen's kappa of two people, from the table of what one answered against the other."""
    cells = np.zeros((len(codes), values * values))
    cells[np.arange(len(codes)), codes[:, 0] * values + codes[:, 1]] = 1
    return Statistics(cells, _kappa)


def alpha(codes: Codes, values: int, *, is_ordinal: bool = False) -> Statistics:
    """Krippendorff's alpha for named answers, from as many people as there are; some may be missing.

    Each pair adds its couples of answers to the coincidence matrix, weighted so that a pair counts as often as it
    was judged; a pair that one person judged adds nothing. Where answers have an order, neighbours differ less.
    """
    counts = _counts(codes, values)
    size = counts.sum(axis=1)
    counts, size = counts[size >= 2], size[size >= 2]
    couples = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(values)
    rows = couples / (size - 1)[:, None, None]
    return Statistics(rows.reshape(len(rows), values * values), _ordinal_alpha if is_ordinal else _alpha)


def clustered(statistics: Statistics, clusters: Codes) -> Statistics:
    """The same statistics with one row for all rows of a cluster, so that a cluster is drawn as a whole."""
    _, places = np.unique(clusters, return_inverse=True)
    rows = np.zeros((int(places.max(initial=-1)) + 1, statistics.rows.shape[1]))
    np.add.at(rows, places, statistics.rows)
    return Statistics(rows, statistics.pooled)


def _counts(codes: Codes, values: int) -> Numbers:
    """How many people gave each answer, pair by pair."""
    return np.stack([(codes == value).sum(axis=1) for value in range(values)], axis=1).astype(np.float64)


def _share(sums: Numbers) -> Numbers:
    return _quotient(sums[:, 0], sums[:, 1])


def _kappa(sums: Numbers) -> Numbers:
    table = _square(sums)
    total = table.sum(axis=(1, 2))
    seen = _quotient(_diagonal(table), total)
    by_chance = _quotient((table.sum(axis=2) * table.sum(axis=1)).sum(axis=1), total**2)
    return _beyond_chance(seen, by_chance)


def _alpha(sums: Numbers) -> Numbers:
    coincidences = _square(sums)
    margins = coincidences.sum(axis=2)
    total = margins.sum(axis=1)
    seen = _quotient(_diagonal(coincidences), total)
    by_chance = _quotient((margins * (margins - 1)).sum(axis=1), total * (total - 1))
    return _beyond_chance(seen, by_chance)


def _ordinal_alpha(sums: Numbers) -> Numbers:
    """Alpha where two answers differ by the square of how many answers lie between them."""
    coincidences = _square(sums)
    margins = coincidences.sum(axis=2)
    middles = np.cumsum(margins, axis=1) - margins / 2
    apart = (middles[:, :, None] - middles[:, None, :]) ** 2
    seen = (coincidences * apart).sum(axis=(1, 2))
    by_chance = (margins[:, :, None] * margins[:, None, :] * apart).sum(axis=(1, 2))
    share = _quotient(seen * (margins.sum(axis=1) - 1), np.where(by_chance > 1e-9, by_chance, 0))
    found: Numbers = 1 - share
    return found


def _square(sums: Numbers) -> Numbers:
    values = round(sums.shape[1] ** 0.5)
    return sums.reshape(len(sums), values, values)


def _diagonal(table: Numbers) -> Numbers:
    found: Numbers = np.trace(table, axis1=1, axis2=2)
    return found


def _beyond_chance(seen: Numbers, by_chance: Numbers) -> Numbers:
    # Sums of weighted counts differ from whole numbers in their last digits.
    rest = 1 - by_chance
    return _quotient(seen - by_chance, np.where(rest > 1e-9, rest, 0))


def _quotient(above: Numbers, below: Numbers) -> Numbers:
    found: Numbers = np.divide(above, below, out=np.full(len(above), np.nan), where=below > 0)
    return found
