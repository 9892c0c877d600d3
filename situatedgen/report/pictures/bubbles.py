"""Communities as bubbles: where they lie, so that linked ones are near and none covers another."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from situatedgen.report.pictures.charts import Area

Points = NDArray[np.float64]
ROUNDS, PUSHES = 150, 150
GOLDEN_ANGLE = 2.399963229728653
GAP = 4.0


def laid_out(radii: Sequence[float], links: Sequence[tuple[int, int, float]], area: Area) -> list[tuple[float, float]]:
    """The centre of each bubble: begun as a sunflower, drawn together by links, pushed apart, kept in an area.

    No chance, and no order of summation that depends on the machine: the same bubbles lie in the same places.
    """
    if not radii:
        return []
    sizes = np.asarray(radii, dtype=np.float64)
    corner = np.array([area.x, area.y])
    low, high = corner + sizes[:, None], corner + np.array([area.width, area.height]) - sizes[:, None]
    places = _sunflower(len(sizes), area)
    pull = _pull(len(sizes), links)
    for turn in range(ROUNDS):
        places = np.clip(places + _moved(places, sizes, pull) * (1 - turn / ROUNDS), low, high)
    for _ in range(PUSHES):
        pushed = np.clip(places + _apart(places, sizes), low, high)
        if np.array_equal(pushed, places):
            break
        places = pushed
    return [(round(float(x), 1), round(float(y), 1)) for x, y in places]


def _sunflower(count: int, area: Area) -> Points:
    """Points that spread evenly from the middle of an area to its edges."""
    number = np.arange(count, dtype=np.float64)
    far = np.sqrt((number + 0.5) / count) / 2
    x = area.x + area.width * (0.5 + far * np.cos(number * GOLDEN_ANGLE))
    y = area.y + area.height * (0.5 + far * np.sin(number * GOLDEN_ANGLE))
    return np.stack([x, y], axis=1)


def _pull(count: int, links: Sequence[tuple[int, int, float]]) -> Points:
    """How strongly bubbles draw each other, from 0 to 1."""
    pull = np.zeros((count, count))
    strongest = max((weight for *_, weight in links), default=1.0)
    for one, two, weight in links:
        pull[one, two] = pull[two, one] = (weight / strongest) ** 0.5
    return pull


def _moved(places: Points, sizes: Points, pull: Points) -> Points:
    """How far each bubble moves in a round: to those it is linked with, and away from all that are near."""
    away, distance, touching = _distances(places, sizes)
    near = np.minimum((touching / distance) ** 2, 3.0) * 1.5
    force = near - 0.02 * pull * np.maximum(distance - 1.6 * touching, 0.0)
    np.fill_diagonal(force, 0.0)
    moved: Points = np.add.reduce(away / distance[..., None] * force[..., None], axis=0)
    return np.clip(moved, -10.0, 10.0)


def _apart(places: Points, sizes: Points) -> Points:
    """How far overlapping bubbles have to move; the smaller of two gives way."""
    away, distance, touching = _distances(places, sizes)
    overlap = np.maximum(touching - distance, 0.0)
    np.fill_diagonal(overlap, 0.0)
    way = sizes[:, None] / (sizes[:, None] + sizes[None, :])
    moved: Points = np.add.reduce(away / distance[..., None] * (overlap * way)[..., None], axis=0)
    return moved


def _distances(places: Points, sizes: Points) -> tuple[Points, Points, Points]:
    """The way from each bubble to each other, how far that is, and how far it is where they touch."""
    away = places[None, :, :] - places[:, None, :]
    distance = np.sqrt(away[..., 0] ** 2 + away[..., 1] ** 2) + 1e-9
    return away, distance, sizes[:, None] + sizes[None, :] + GAP
