"""The look of curves: style, panels, PNG without a trace of the day."""

from io import BytesIO
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

if TYPE_CHECKING:
    from matplotlib.typing import RcKeyType

KEPT, INK, FAINT = "#0072b2", "#22282e", "#6b7680"
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


def png(figure: Figure) -> bytes:
    """The picture as a PNG whose bytes depend on its content alone."""
    file = BytesIO()
    figure.savefig(file, format="png", dpi=DOTS_PER_INCH, metadata={"Software": None})
    return file.getvalue()
