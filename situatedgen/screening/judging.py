"""What the checks say of many pairs: each two views are compared once, however many pairs have them."""

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from situatedgen.screening.checks import CHECKS, Check
from situatedgen.screening.reading import Reading

Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]


def failed(readings: Sequence[Reading], left: Numbers, right: Numbers) -> dict[Check, Flags]:
    """For each check, whether each pair of readings, given by their numbers, fails it."""
    return {check: _failed(check, readings, left, right) for check in CHECKS}


def _failed(check: Check, readings: Sequence[Reading], left: Numbers, right: Numbers) -> Flags:
    codes: dict[Hashable, int] = {}
    coded = np.array([codes.setdefault(check.view(reading), len(codes)) for reading in readings], dtype=np.int64)
    views = list(codes)
    distinct, where = np.unique(coded[left] * len(views) + coded[right], return_inverse=True)
    answers = [check.fails(views[both // len(views)], views[both % len(views)]) for both in distinct.tolist()]
    return np.asarray(np.array(answers, dtype=np.bool_)[where.reshape(-1)])


def doubts(found: dict[Check, Flags], pairs: int) -> NDArray[np.float32]:
    """How doubtful each pair is: nothing where it fails no check, and the more the more it fails."""
    sure = np.ones(pairs, dtype=np.float64)
    for check, flags in found.items():
        sure[flags] *= 1 - check.weight
    return (1 - sure).astype(np.float32)
