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
    since = since_lowest(by_cycle(history, params.cycle), params.min_fall)
    return len(history) >= params.max_iterations or since >= params.patience


def by_cycle(history: Sequence[Iteration], cycle: int) -> list[float]:
    """The accuracy over each so many iterations in a row, in which every item was held out about once.

    Example:
        >>> points = [Iteration(n, accuracy, {}, 8, 2, 0, 0.0) for n, accuracy in enumerate([0.6, 0.4, 0.3, 0.5])]
        >>> by_cycle(points, 2)
        [0.5, 0.35, 0.4]
    """
    return [_mean(history[start : start + cycle]) for start in range(len(history) - cycle + 1)]


def _mean(history: Sequence[Iteration]) -> float:
    held = sum(iteration.held_out for iteration in history)
    return round(sum(iteration.accuracy * iteration.held_out for iteration in history) / max(held, 1), 6)


def best_of(history: Sequence[Iteration], cycle: int) -> int:
    """The last iteration of the cycle with the lowest accuracy; before a cycle is over, the last one there is."""
    found = by_cycle(history, cycle)
    return found.index(min(found)) + cycle - 1 if found else len(history) - 1


def since_lowest(accuracies: Sequence[float], min_fall: float) -> int:
    """How many accuracies there were since one was lower than ever before by the smallest fall.

    Example:
        >>> since_lowest([0.6, 0.4, 0.398, 0.41], 0.005)
        2
    """
    lowest, since = float("inf"), 0
    for accuracy in accuracies:
        since = 0 if accuracy < lowest - min_fall else since + 1
        lowest = min(lowest, accuracy) if since == 0 else lowest
    return since
