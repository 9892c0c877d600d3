"""Common style of all figures, and their reproducible rendering as SVG and PNG."""

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Any

from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from situatedgen.vocabulary import Context, Split

BLUE, ORANGE, GREEN, PURPLE = "#0072b2", "#e69f00", "#009e73", "#cc79a7"
"""Four colours of the Okabe-Ito palette, distinguishable with any kind of colour vision."""
ON_BLUE, ON_LIGHT = "#fefefe", "#14181d"
"""Text colours on blue and green, and on the lighter colours; the same in light and dark mode."""
INK, FAINT, RULE, OUT, PAPER = "#22282e", "#5f6b76", "#e3e7eb", "#c3cbd3", "#ffffff"
DARK = {INK: "#e6eaee", FAINT: "#a2adb8", RULE: "#343c44", OUT: "#56616c", PAPER: "#14181c"}
"""Replacements for these colours in dark mode, the same as in report.css."""
SPLIT_COLOURS = {Split.TRAIN: BLUE, Split.DEV: ORANGE, Split.TEST: GREEN}
CONTEXT_COLOURS = {Context.GEO: BLUE, Context.TEMP: ORANGE, Context.BOTH: PURPLE}
DOTS_PER_INCH, PADDING = 144, 0.12
STYLE: dict[str, Any] = {  # Any: values of matplotlib's settings
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],  # bundled with matplotlib
    "font.size": 10,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": FAINT,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelcolor": INK,
    "figure.facecolor": PAPER,
    "axes.facecolor": "none",
    "grid.color": RULE,
    "legend.frameon": False,
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "situatedgen",  # ids are the same in every run
    "text.color": INK,
    "text.parse_math": False,  # a dollar sign in a name is a dollar sign
    "xtick.color": FAINT,
    "ytick.color": INK,
    "ytick.major.size": 0,
}


@contextmanager
def plot_style() -> Iterator[None]:
    """Apply our style within the block, ignoring the user's own matplotlib settings."""
    with style.context(STYLE, after_reset=True):
        yield


def subplots(width: float, height: float, *, rows: int = 1) -> tuple[Figure, list[Axes]]:
    """An empty figure of a size in inches, and its panels from top to bottom."""
    figure = Figure(figsize=(width, height), layout=ConstrainedLayoutEngine(h_pad=PADDING, w_pad=PADDING))
    panels = figure.subplots(rows, 1, squeeze=False)
    return figure, [panels[row][0] for row in range(rows)]


def png(figure: Figure) -> bytes:
    """Render a figure as PNG."""
    file = BytesIO()
    figure.savefig(file, format="png", dpi=DOTS_PER_INCH, metadata={"Software": None})
    return file.getvalue()


def svg(figure: Figure, *, title: str, description: str) -> bytes:
    """Render a figure as SVG that follows the system's dark mode."""
    file = BytesIO()
    metadata = {"Title": title, "Description": description, "Date": None, "Creator": None}
    figure.savefig(file, format="svg", metadata=metadata)
    head, end, rest = file.getvalue().partition(b"</metadata>\n")
    return b"".join((head, end, f" <style>{_dark_rules()}</style>\n".encode(), rest))


def _dark_rules() -> str:
    """CSS rules that override matplotlib's inline colours in dark mode."""
    rules = (
        f'[style*="{part}: {light}"]{{{part}:{dark}!important}}'
        for light, dark in DARK.items()
        for part in ("fill", "stroke")
    )
    return f"@media (prefers-color-scheme:dark){{{''.join(rules)}}}"
