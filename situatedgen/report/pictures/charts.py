"""The parts of a chart: heading, key, bars that lie or stand, axes with round numbers."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from situatedgen.report.pictures.fonts import fitted, width
from situatedgen.report.pictures.shapes import FAINT, INK, RULE, Box, Line, Shape, Words

WIDTH, MARGIN = 864, 28
TITLE, NOTE, LABEL, SMALL = 16, 12, 12, 11
HEADING = 62
"""How high the heading of a picture is."""
ROW, BAR = 30, 20
SWATCH = 11


@dataclass(frozen=True, slots=True)
class Area:
    """Where a chart's data is drawn."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Its right edge."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """Its lower edge."""
        return self.y + self.height


def heading(title: str, note: str, *, y: float = 0) -> Iterator[Shape]:
    """A title, and what else there is to know about the chart."""
    room = WIDTH - 2 * MARGIN
    yield Words(MARGIN, y + 30, fitted(title, TITLE, room, bold=True), TITLE, bold=True)
    yield Words(MARGIN, y + 50, fitted(note, NOTE, room), NOTE, FAINT)


def key(colours: Mapping[str, str], x: float, y: float) -> Iterator[Shape]:
    """What each colour means, on one line."""
    for name, colour in colours.items():
        yield Box(x, y - SWATCH + 1, SWATCH, SWATCH, colour)
        yield Words(x + SWATCH + 6, y, name, LABEL)
        x += SWATCH + 6 + width(name, LABEL) + 22


def lying_bars(
    area: Area, names: Sequence[str], parts: Mapping[str, Sequence[float]], colours: Mapping[str, str], most: float
) -> Iterator[Shape]:
    """Horizontal bars from the top, each made of the same parts, its name on the left."""
    for row, name in enumerate(names):
        y, x = area.y + row * ROW, area.x
        yield Words(x - 10, y + BAR / 2 + 4.5, fitted(name, LABEL, x - MARGIN - 10), LABEL, anchor="end")
        for part, values in parts.items():
            length = area.width * values[row] / (most or 1)
            yield Box(x, y, length, BAR, colours[part], f"{name}, {part}: {values[row]:,.6g}")
            x += length


def standing_bars(
    area: Area, names: Sequence[str], parts: Mapping[str, Sequence[float]], colours: Mapping[str, str], most: float
) -> Iterator[Shape]:
    """Vertical bars from the left, each made of the same parts, its name below."""
    step = area.width / max(len(names), 1)
    for column, name in enumerate(names):
        x, y = area.x + column * step, area.bottom
        for part, values in parts.items():
            length = area.height * values[column] / (most or 1)
            y -= length
            yield Box(x + 0.1 * step, y, 0.8 * step, length, colours[part], f"{name}, {part}: {values[column]:,.6g}")


def below(area: Area, names: Sequence[str], *, title: str) -> Iterator[Shape]:
    """The names of vertical bars under them, and what they are names of."""
    step = area.width / max(len(names), 1)
    for column, name in enumerate(names):
        yield Words(area.x + (column + 0.5) * step, area.bottom + 17, name, SMALL, INK, anchor="middle")
    yield Words(area.right, area.bottom + 40, title, LABEL, FAINT, anchor="end")


def levels(area: Area, values: Sequence[float], most: float, *, title: str) -> Iterator[Shape]:
    """Faint lines across at round numbers, and above them what is counted."""
    for value in values:
        y = area.bottom - area.height * value / (most or 1)
        yield Line(area.x, y, area.right, y, RULE)
        yield Words(area.x - 8, y + 4, f"{value:,.6g}", SMALL, FAINT, anchor="end")
    yield Words(MARGIN, area.y - 14, title, LABEL, FAINT)


def round_numbers(most: float, *, about: int = 5) -> list[float]:
    """Round numbers from 0 to no more than the largest value, about so many.

    Example:
        >>> round_numbers(4870)
        [0, 1000, 2000, 3000, 4000]
    """
    if most <= 0:
        return [0]
    rough = most / about
    size = 10 ** math.floor(math.log10(rough))
    step = next(size * factor for factor in (1, 2, 5, 10) if size * factor >= rough)
    return [step * number for number in range(int(most / step) + 1)]
