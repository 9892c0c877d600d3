"""The look of the pictures: colours, style, bars with words beside them, PNG without a trace of the day."""

from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import FuncFormatter

from situatedgen.vocabulary import Context, Split

if TYPE_CHECKING:
    from matplotlib.typing import RcKeyType

SPLIT_COLOURS = {Split.TRAIN: "#31688e", Split.DEV: "#e69f00", Split.TEST: "#35a27b"}
CONTEXT_COLOURS = {Context.GEO: "#31688e", Context.TEMP: "#e69f00", Context.BOTH: "#8a5a99"}
KEPT, OUT, INK, FAINT = "#31688e", "#d5dbe1", "#22282e", "#6b7680"
DOTS_PER_INCH, PADDING = 144, 0.12
STYLE: "dict[RcKeyType, Any]" = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": FAINT,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelcolor": INK,
    "legend.frameon": False,
    "text.color": INK,
    "xtick.color": FAINT,
    "ytick.color": INK,
    "ytick.major.size": 0,
}


def sheet(width: float, height: float, *, rows: int = 1) -> tuple[Figure, list[Axes]]:
    """An empty picture of inches, and its panels from the top."""
    figure = Figure(figsize=(width, height), layout=ConstrainedLayoutEngine(h_pad=PADDING, w_pad=PADDING))
    panels = figure.subplots(rows, 1, squeeze=False)
    return figure, [panels[row][0] for row in range(rows)]


def stacked_bars(
    panel: Axes, names: Sequence[str], parts: Mapping[str, Sequence[float]], colours: Sequence[str]
) -> None:
    """Horizontal bars from the top, each made of the same parts."""
    left = [0.0] * len(names)
    for (part, widths), colour in zip(parts.items(), colours, strict=True):
        panel.barh(names, widths, left=left, color=colour, label=part, height=0.66)
        left = [start + width for start, width in zip(left, widths, strict=True)]
    panel.invert_yaxis()


def beside(panel: Axes, ends: Sequence[float], notes: Sequence[str]) -> None:
    """Words at the right end of each bar."""
    widest = max(ends, default=0) or 1
    for row, (end, note) in enumerate(zip(ends, notes, strict=True)):
        panel.text(end + 0.01 * widest, row, note, va="center", fontsize=8.5, color=INK)
    panel.set_xlim(0, widest)


def thousands(axis: mpl.axis.Axis) -> None:
    """Write the numbers of an axis with thousands separators."""
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))


def png(figure: Figure) -> bytes:
    """The picture as a PNG whose bytes depend on its content alone."""
    file = BytesIO()
    figure.savefig(file, format="png", dpi=DOTS_PER_INCH, metadata={"Software": None})
    return file.getvalue()
