"""A baseline that puts keywords together that mean like things."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from situatedgen.baselines.aids import Aids, Vectors
from situatedgen.baselines.cases import Case
from situatedgen.baselines.copying import listed

# Up to so many keywords every way to part them is weighed; of more, the main direction of the likeness decides.
MOST_WEIGHED = 14
DECIMALS = 5


def grouped(cases: Sequence[Case], aids: Aids) -> list[str]:
    """The keywords in two lines: those whose vectors are alike stand together, equal ones apart."""
    return [_grouped(case, aids.vectors) for case in cases]


def _grouped(case: Case, vectors: Vectors) -> str:
    if len(case.keywords) < 2:
        return listed(case.keywords)
    sides = parted(likeness(case.keywords, vectors))
    halves = ([keyword for keyword, side in zip(case.keywords, sides, strict=True) if side == each] for each in (0, 1))
    return " ".join(listed(half) for half in halves)


def likeness(keywords: Sequence[str], vectors: Vectors) -> NDArray[np.float64]:
    """How much more alike two keywords are than two of the same example on average; equal ones repel.

    A statement has no keyword twice, so that a keyword given twice belongs to both.
    """
    rows = vectors.of(keywords).astype(np.float64)
    cosines = np.round(rows @ rows.T, DECIMALS)
    beyond = cosines - cosines[np.triu_indices(len(keywords), 1)].mean()
    numbers = np.array([vectors.numbers[keyword] for keyword in keywords])
    beyond[numbers[:, None] == numbers[None, :]] = -float(len(keywords) ** 2)
    np.fill_diagonal(beyond, 0.0)
    return np.asarray(beyond)


def parted(likeness: NDArray[np.float64]) -> list[int]:
    """The side of each keyword, 0 or 1, so that the likeness within sides is greatest; the first is on side 0."""
    count = len(likeness)
    if count > MOST_WEIGHED:
        return _main_direction(likeness)
    ways = np.arange(1, 2 ** (count - 1))[:, None] >> np.arange(count)[::-1][None, :] & 1
    signs = 1.0 - 2.0 * ways
    weights = np.round(np.einsum("wi,ij,wj->w", signs, likeness, signs, optimize=True), DECIMALS)
    return [int(side) for side in ways[int(np.argmax(weights))]]


def _main_direction(likeness: NDArray[np.float64]) -> list[int]:
    direction = np.linalg.eigh(likeness)[1][:, -1]
    sides = (direction * (1.0 if direction[0] >= 0 else -1.0) < 0).astype(int)
    if not sides.any():
        sides[int(np.argmin(np.abs(direction)))] = 1
    return [int(side) for side in sides]
