"""What is recorded of each iteration of a filtering: the points of Figure 2 of the paper."""

from collections.abc import Sequence
from dataclasses import dataclass

from situatedgen.filtering.params import FilterParams


@dataclass(frozen=True, slots=True)
class Iteration:
    """What came of an iteration: accuracies on the held-out items, before anything of them was replaced."""

    number: int
    accuracy: float
    members: dict[str, float]
    learned_from: int
    held_out: int
    replaced: int
    seconds: float


def is_over(history: Sequence[Iteration], params: FilterParams) -> bool:
    """Whether the accuracy no longer falls, or there were iterations enough."""
    return len(history) >= params.max_iterations or since_lowest(history, params.min_fall) >= params.patience


def since_lowest(history: Sequence[Iteration], min_fall: float) -> int:
    """How many iterations there were since the accuracy was last lower than ever before by the smallest fall.

    Example:
        >>> points = [Iteration(n, accuracy, {}, 8, 2, 0, 0.0) for n, accuracy in enumerate([0.6, 0.4, 0.398, 0.41])]
        >>> since_lowest(points, 0.005)
        2
    """
    lowest, since = float("inf"), 0
    for iteration in history:
        since = 0 if iteration.accuracy < lowest - min_fall else since + 1
        lowest = min(lowest, iteration.accuracy) if since == 0 else lowest
    return since
