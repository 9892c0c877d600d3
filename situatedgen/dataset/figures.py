"""Figures of a dataset folder: funnel, sources, contexts, keywords, similarities, communities, leakage."""

import math
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Patch
from matplotlib.ticker import MaxNLocator, MultipleLocator, StrMethodFormatter
from numpy.typing import NDArray

from situatedgen.dataset.plot_style import (
    BLUE,
    CONTEXT_COLOURS,
    FAINT,
    INK,
    ON_BLUE,
    ON_LIGHT,
    ORANGE,
    OUT,
    PAPER,
    PURPLE,
    RULE,
    SPLIT_COLOURS,
    plot_style,
    png,
    svg,
)
from situatedgen.dataset.statistics import CommunitySize, Statistics
from situatedgen.leakage.certificate import BINS, LOWEST, NEAR, Comparison, SplitLeakage
from situatedgen.leakage.certificate import WIDTH as BIN
from situatedgen.vocabulary import Split, Verdict

WIDTH, MARGIN, LEFT = 440, 16, 68
TITLE, LABEL, SMALL = 15, 12, 11
ROW, NOTED_ROW, BAR = 42, 58, 14
POINTS_PER_INCH = 72
FIRST_OF_PAIRS = "candidates"
SHOWN_REASONS = 3
SHOWN_COMMUNITIES, SHOWN_LINKS = 80, 160
GRAPH, BUBBLES, ROUNDS = 400, 0.25, 300
"""Height of the community panel, the share of it that bubbles fill, and the number of layout iterations."""
GOLDEN_ANGLE = math.pi * (3 - math.sqrt(5))
Points = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Drawing:
    """A rendered figure, with a title and a text description of what it shows."""

    title: str
    description: str
    svg: bytes
    png: bytes


@dataclass(frozen=True, slots=True)
class Sheet:
    """A figure with a heading and empty panels, from top to bottom."""

    figure: Figure
    panels: tuple[Axes, ...]
    title: str
    description: str

    def render(self) -> Drawing:
        """Render the figure in its current state."""
        drawn = svg(self.figure, title=self.title, description=self.description)
        return Drawing(self.title, self.description, drawn, png(self.figure))


def draw_figures(statistics: Statistics, threshold: float | None = None) -> dict[str, Drawing]:
    """Draw all figures, keyed by name; `threshold` is the minimum similarity of pairs. Leakage needs a certificate."""
    draw: dict[str, Callable[[], Drawing]] = {
        "funnel": lambda: draw_funnel(statistics),
        "sources": lambda: draw_sources(statistics),
        "contexts": lambda: draw_contexts(statistics),
        "keywords": lambda: draw_keywords(statistics),
        "communities": lambda: draw_communities(statistics),
        "similarities": lambda: draw_similarities(statistics, threshold),
    }
    if found := statistics.certificate:
        draw["leakage"] = lambda: draw_leakage(found)
    with plot_style():
        return {name: function() for name, function in draw.items()}


def new_sheet(
    title: str,
    description: str,
    heights: Sequence[float],
    *,
    key: Mapping[str, str] | None = None,
    gap: float = 0,
    titled: bool = False,
    with_scales: bool = False,
) -> Sheet:
    """Create a figure with panels of these heights and gaps, with room for panel titles or for axis scales."""
    left, above, below = (LEFT, 36, 46) if with_scales else (MARGIN, 20 if titled else 0, MARGIN)
    titles, lines = textwrap.wrap(title, 46), textwrap.wrap(description, 68)
    heading = MARGIN + 20 * len(titles) + 16 * len(lines) + (34 if key else 8) + above
    height = heading + sum(heights) + gap * (len(heights) - 1) + below
    figure = Figure(figsize=(WIDTH / POINTS_PER_INCH, height / POINTS_PER_INCH))
    y = MARGIN + 12.0
    for text in titles:
        figure.text(MARGIN / WIDTH, 1 - y / height, text, fontsize=TITLE, fontweight="bold")
        y += 20
    for text in lines:
        figure.text(MARGIN / WIDTH, 1 - (y - 1) / height, text, fontsize=SMALL, color=FAINT)
        y += 16
    if key:
        _add_key(figure, key, 1 - (y - 6) / height)
    panels = []
    y = heading
    for each in heights:
        place = (left / WIDTH, 1 - (y + each) / height, (WIDTH - left - MARGIN) / WIDTH, each / height)
        panels.append(figure.add_axes(place))
        y += each + gap
    return Sheet(figure, tuple(panels), title, description)


def _add_key(figure: Figure, colours: Mapping[str, str], top: float) -> None:
    """Draw the colour legend on one line."""
    figure.legend(
        handles=[Patch(color=colour, label=name, linewidth=0) for name, colour in colours.items()],
        loc="upper left",
        bbox_to_anchor=(MARGIN / WIDTH, top),
        ncols=len(colours),
        fontsize=LABEL,
        borderpad=0,
        borderaxespad=0,
        handlelength=0.9,
        handleheight=0.9,
        handletextpad=0.5,
        columnspacing=1.4,
    )


@dataclass(frozen=True, slots=True)
class BarRow:
    """A stacked bar with a name and a value above it, and optionally a note below."""

    name: str
    value: str
    parts: tuple[float, ...]
    note: str = ""


def _draw_rows(panel: Axes, rows: Sequence[BarRow], colours: Iterable[str], *, row: float, most: float) -> None:
    """Draw horizontal bars from top to bottom; labels span the whole width so that none is cut off."""
    panel.set(xlim=(0, most or 1), ylim=(max(len(rows), 1) * row, 0))
    panel.axis("off")
    across = panel.get_yaxis_transform()
    ends = np.zeros(len(rows))
    tops = np.arange(len(rows)) * row
    for column, colour in enumerate(colours):
        lengths = np.array([each.parts[column] for each in rows])
        panel.barh(tops + 18, lengths, BAR, left=ends, color=colour, align="edge")
        ends += lengths
    for y, each in zip(tops, rows, strict=True):
        panel.text(0, y + 13, shorten(each.name, 32), fontsize=LABEL, fontweight="bold")
        panel.text(1, y + 13, each.value, fontsize=LABEL, ha="right", transform=across)
        panel.text(0, y + 45, each.note, fontsize=SMALL, color=FAINT)


def shorten(text: str, length: int) -> str:
    """Shorten a text to at most `length` characters, ending in an ellipsis if cut."""
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def draw_funnel(statistics: Statistics) -> Drawing:
    """Funnel: rows kept per stage and why the others are excluded; sentences above, pairs below."""
    counts: dict[str, dict[Verdict, int]] = {}
    for step in statistics.funnel:
        counts.setdefault(step.stage, {})[step.verdict] = step.rows
    rows = [_funnel_row(stage, verdicts) for stage, verdicts in counts.items()]
    border = list(counts).index(FIRST_OF_PAIRS)
    parts = {"Sentences": rows[:border], "Pairs of sentences": rows[border:]}
    sheet = new_sheet(
        "Rows kept and rejected",
        "Rows kept by each stage, and why the others were rejected",
        [len(part) * NOTED_ROW for part in parts.values()],
        key={"kept": BLUE, "out": OUT},
        gap=34,
        titled=True,
    )
    for panel, (name, part) in zip(sheet.panels, parts.items(), strict=True):
        most = max((sum(row.parts) for row in part), default=0)
        _draw_rows(panel, part, (BLUE, OUT), row=NOTED_ROW, most=most)
        panel.set_title(name, fontsize=LABEL, fontweight="bold", color=FAINT, pad=6)
    return sheet.render()


def _funnel_row(stage: str, verdicts: Mapping[Verdict, int]) -> BarRow:
    kept = verdicts.get(Verdict.KEPT, 0)
    reasons = sorted(((v, rows) for v, rows in verdicts.items() if v is not Verdict.KEPT), key=lambda each: -each[1])
    texts = (_format_reasons(reasons, shown) for shown in range(min(SHOWN_REASONS, len(reasons)), -1, -1))
    note = next((text for text in texts if len(text) <= 66), "")
    return BarRow(stage, f"{kept:,} kept", (kept, sum(verdicts.values()) - kept), note)


def _format_reasons(reasons: Sequence[tuple[Verdict, int]], shown: int) -> str:
    """Format the `shown` most common reasons for exclusion, and the number of rows excluded for others."""
    named = [f"{rows:,} {verdict.value.replace('_', ' ')}" for verdict, rows in reasons[:shown]]
    rest = sum(rows for _, rows in reasons[shown:])
    return " · ".join([*named, *([f"{rest:,} {'other' if named else 'rejected'}"] if rest else [])])


def draw_sources(statistics: Statistics) -> Drawing:
    """Number of sentences per source that name a place, a time, or both."""
    rows = [
        BarRow(row.source, f"{row.valid:,} of {row.sentences:,}", (row.geo, row.temp, row.both))
        for row in statistics.sources
    ]
    colours = {"place only": BLUE, "time only": ORANGE, "both": PURPLE}
    total = statistics.all_sources
    sheet = new_sheet(
        "Sentences that name a place or a time",
        f"{total.valid:,} of {total.sentences:,} sentences; the others cannot be in a pair",
        [max(len(rows), 1) * ROW],
        key=colours,
    )
    most = max((row.valid for row in statistics.sources), default=0)
    _draw_rows(sheet.panels[0], rows, colours.values(), row=ROW, most=most)
    return sheet.render()


def draw_contexts(statistics: Statistics) -> Drawing:
    """Share of pairs per shared context, for each split."""
    pairs = {(count.split, count.context): count.pairs for count in statistics.contexts}
    rows = []
    for split in Split:
        counts = [pairs[split, context] for context in CONTEXT_COLOURS]
        shares = tuple(100 * count / (sum(counts) or 1) for count in counts)
        rows.append(BarRow(split.value, f"{sum(counts):,} pairs", shares))
    sheet = new_sheet(
        "What the two sentences of a pair share",
        "Share of the pairs of each split",
        [len(rows) * ROW],
        key={context.value: colour for context, colour in CONTEXT_COLOURS.items()},
    )
    (panel,) = sheet.panels
    _draw_rows(panel, rows, CONTEXT_COLOURS.values(), row=ROW, most=100)
    for number, row in enumerate(rows):
        starts = np.cumsum([0, *row.parts])
        for share, start, colour in zip(row.parts, starts, (ON_BLUE, ON_LIGHT, ON_LIGHT), strict=False):
            if share > 12:  # a smaller bar has no room for its label
                text = f"{share:.1f} %"
                panel.text(start + share / 2, number * ROW + 29, text, fontsize=SMALL, color=colour, ha="center")
    return sheet.render()


def _draw_scales(panel: Axes, *, up: str, along: str = "") -> None:
    """Draw horizontal grid lines, the y label above the panel and the x label below it."""
    panel.spines[:].set_visible(False)
    panel.grid(axis="y")
    panel.tick_params(length=0, pad=5, labelsize=SMALL, labelcolor=INK)
    panel.annotate(
        up,
        (0, 1),
        (MARGIN - LEFT, 20),
        xycoords="axes fraction",
        textcoords="offset points",
        fontsize=LABEL,
        color=FAINT,
    )
    panel.set_xlabel(along, loc="right", fontsize=LABEL, color=FAINT)


def _mark(panel: Axes, x: float, text: str, *, across: bool = True) -> None:
    """Mark an x value with a dashed line or a small arrow; its label is above the panel, clear of the bars."""
    low, high = panel.get_xlim()
    if not low <= x <= high:
        return
    side = "center" if (x - low) / (high - low) < 0.7 else "right"
    place = panel.get_xaxis_transform()
    if across:
        panel.plot([x, x], [0, 1], "--", color=INK, linewidth=1.2, transform=place)
    else:
        panel.plot([x], [1], "v", color=INK, transform=place, clip_on=False)
    panel.annotate(text, (x, 1), (0, 6), xycoords=place, textcoords="offset points", ha=side, fontsize=SMALL)


def draw_keywords(statistics: Statistics) -> Drawing:
    """Histogram of keywords per example, by split: Figure 3 of the paper."""
    counts = statistics.keywords
    found = {(each.split, each.keywords): each.examples for each in counts.histogram}
    numbers = [number for _, number in found] or [0]
    widths = np.arange(min(numbers), max(numbers) + 1)
    sheet = new_sheet(
        "Keywords per example",
        f"{sum(found.values()):,} examples; mean {counts.mean:.2f}, skewness {counts.skewness:.2f}",
        [240],
        key={split.value: colour for split, colour in SPLIT_COLOURS.items()},
        with_scales=True,
    )
    (panel,) = sheet.panels
    tops = np.zeros(len(widths))
    for split, colour in SPLIT_COLOURS.items():
        heights = np.array([found.get((split, number), 0) for number in widths.tolist()])
        panel.bar(widths, heights, 0.8, bottom=tops, color=colour)
        tops += heights
    panel.set(xlim=(widths[0] - 0.6, widths[-1] + 0.6), ylim=(0, max(tops) * 1.13 or 1))
    panel.xaxis.set_major_locator(MultipleLocator(1 + len(widths) // 16))
    panel.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    panel.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    _draw_scales(panel, up="examples", along="keywords per example")
    _mark(panel, counts.mean, f"mean {counts.mean:.2f}", across=False)
    if len(widths) <= 9:  # more bars have no room for labels
        for number, top in zip(widths, tops, strict=True):
            panel.annotate(f"{top:,.0f}", (number, top), (0, 3), textcoords="offset points", ha="center", fontsize=10)
    return sheet.render()


def draw_similarities(statistics: Statistics, threshold: float | None) -> Drawing:
    """Histogram of the similarities of candidates that break no rule, with the threshold, on a log scale."""
    bins = statistics.similarities
    kept, out = sum(each.kept for each in bins), sum(each.too_dissimilar for each in bins)
    sheet = new_sheet(
        "Similarity of the two sentences of a pair",
        f"Of {kept + out:,} pairs that break no rule, {kept:,} are similar enough with their keywords masked."
        " Logarithmic scale.",
        [240],
        key={"similar enough": BLUE, "too dissimilar": OUT},
        with_scales=True,
    )
    (panel,) = sheet.panels
    # Bars cannot be stacked on a log scale, so each has the colour of its majority.
    panel.bar(
        [each.percent / 100 for each in bins],
        [each.kept + each.too_dissimilar for each in bins],
        0.008,
        align="edge",
        color=[BLUE if each.kept >= each.too_dissimilar else OUT for each in bins],
    )
    most = max((each.kept + each.too_dissimilar for each in bins), default=1)
    panel.set_yscale("log")
    panel.set_ylim(0.7, 10 ** math.ceil(math.log10(most + 1)))
    panel.minorticks_off()
    panel.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    if bins:
        panel.set_xlim(bins[0].percent / 100 - 0.005, bins[-1].percent / 100 + 0.013)
    panel.xaxis.set_major_locator(MaxNLocator(7))
    panel.xaxis.set_major_formatter(StrMethodFormatter("{x:.2f}"))
    _draw_scales(panel, up="pairs", along="cosine similarity, in steps of 0.01")
    if threshold is not None:
        _mark(panel, threshold - 0.001, f"threshold {threshold:g}")
    return sheet.render()


def draw_leakage(found: Comparison) -> Drawing:
    """Histograms, one panel per split: the cosine of each sentence with its nearest neighbour in train."""
    random = {each.split: each for each in found.random.splits} if found.random else {}
    colours = {each.split.value: SPLIT_COLOURS[each.split] for each in found.built.splits}
    sheet = new_sheet(
        "How close dev and test are to train",
        "Share of sentences by cosine with the nearest masked sentence of train, in steps of 0.02",
        [150 for _ in found.built.splits],
        key=colours | ({"random packing": INK} if random else {}),
        gap=80,
        with_scales=True,
    )
    for panel, each in zip(sheet.panels, found.built.splits, strict=True):
        _draw_nearness(panel, each, random.get(each.split))
    return sheet.render()


def _draw_nearness(panel: Axes, own: SplitLeakage, random: SplitLeakage | None) -> None:
    lefts = LOWEST + BIN * np.arange(BINS)
    panel.bar(lefts, np.multiply(100, own.sentences.histogram), 0.8 * BIN, align="edge", color=SPLIT_COLOURS[own.split])
    if random:
        shares = np.multiply(100, random.sentences.histogram)
        there = shares > 0
        panel.hlines(shares[there], lefts[there] - 0.1 * BIN, lefts[there] + 0.9 * BIN, color=INK, linewidth=1.8)
    panel.set_xlim(LOWEST - 0.1 * BIN, 1)
    panel.set_ylim(bottom=0)
    panel.yaxis.set_major_locator(MaxNLocator(4))
    _draw_scales(panel, up=f"% of {own.split.value}", along="cosine")
    _mark(panel, NEAR - 0.1 * BIN, f"similar enough for a pair: {NEAR:g}")


def draw_communities(statistics: Statistics) -> Drawing:
    """The largest communities as bubbles, sized by number of sentences and coloured by split."""
    graph = statistics.graph
    shown = sorted(graph.sizes, key=lambda size: (-size.statements, size.community))[:SHOWN_COMMUNITIES]
    largest = f" Only the {SHOWN_COMMUNITIES} largest are drawn." if graph.communities > SHOWN_COMMUNITIES else ""
    sheet = new_sheet(
        f"{graph.communities:,} communities, each wholly in one split",
        "A bubble is a community: its area is the number of sentences, its label the number of pairs. Lines are"
        f" cut pairs: {graph.cut_pairs:,} in all ({100 * graph.cut_share:.1f}\u00a0%).{largest}",
        [GRAPH],
        key={**{split.value: colour for split, colour in SPLIT_COLOURS.items()}, "no pairs left": OUT},
    )
    (panel,) = sheet.panels
    width = WIDTH - 2 * MARGIN
    panel.set(xlim=(0, width), ylim=(GRAPH, 0))
    panel.axis("off")
    number = {size.community: place for place, size in enumerate(shown)}
    links = [link for link in graph.links if link.left in number and link.right in number][:SHOWN_LINKS]
    scale = math.sqrt(BUBBLES * width * GRAPH / math.pi / (sum(size.statements for size in shown) or 1))
    radii = np.array([max(scale * math.sqrt(size.statements), 3.0) for size in shown])
    ends = [(number[link.left], number[link.right]) for link in links]
    strengths = np.array([link.pairs / links[0].pairs for link in links])
    centres = place_bubbles(radii, ends, strengths, np.array([width, GRAPH], dtype=float))
    panel.add_collection(
        LineCollection(
            [centres[list(pair)] for pair in reversed(ends)],
            linewidths=1 + 7 * strengths[::-1],
            colors=[OUT if strength > 0.1 else RULE for strength in strengths[::-1]],
            zorder=0,
        )
    )
    for size, radius, centre in zip(shown, radii, centres, strict=True):
        _draw_bubble(panel, size, radius, centre)
    return sheet.render()


def _draw_bubble(panel: Axes, size: CommunitySize, radius: float, centre: Points) -> None:
    """Draw a disc, labelled with its number of pairs if there is room."""
    x, y = centre
    colour = SPLIT_COLOURS[size.split] if size.split else OUT
    panel.add_patch(Circle((x, y), radius, facecolor=colour, edgecolor=PAPER, linewidth=1))
    text = f"{size.pairs:,}"
    if size.pairs and 7 * len(text) + 6 < 2 * radius:
        ink = ON_LIGHT if size.split is Split.DEV else ON_BLUE
        panel.text(x, y, text, fontsize=10, fontweight="bold", color=ink, ha="center", va="center_baseline")


def place_bubbles(radii: Points, links: Sequence[tuple[int, int]], strengths: Points, room: Points) -> Points:
    """Compute bubble centres such that linked bubbles are close and none covers another.

    A force-directed layout: bubbles start in a sunflower pattern, attract along links and repel each other, and stay
    within the room. It is deterministic.
    """
    count = np.arange(len(radii))
    angle, far = count * GOLDEN_ANGLE, np.sqrt((count + 0.5) / max(len(radii), 1)) / 2
    places = room * (0.5 + far[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1))
    pull = np.zeros((len(radii), len(radii)))
    for (one, two), strength in zip(links, strengths, strict=True):
        pull[one, two] = pull[two, one] = math.sqrt(strength)
    for step in range(ROUNDS):
        heat = max(1 - 2 * step / ROUNDS, 0.0)  # in the second half, bubbles are only pushed apart
        moved = places + _push(places, radii, heat * pull, heat)
        places = np.clip(moved, radii[:, None], room - radii[:, None])
    rounded: Points = places.round(1)
    return rounded


def _push(places: Points, radii: Points, pull: Points, heat: float) -> Points:
    """Displacement of each bubble: away from nearby bubbles, and towards linked ones."""
    away = places[None] - places[:, None]
    distance = np.hypot(away[..., 0], away[..., 1]) + 1e-9
    touching = radii[:, None] + radii[None] + 3
    near = 1.5 * heat * np.minimum((touching / distance) ** 2, 3.0)
    overlap = np.maximum(touching - distance, 0.0) * radii[:, None] / (radii[:, None] + radii[None])
    force = near + overlap * (1 - heat) - 0.02 * pull * np.maximum(distance - 1.6 * touching, 0.0)
    np.fill_diagonal(force, 0.0)
    moves: Points = np.clip(np.add.reduce(away / distance[..., None] * force[..., None], axis=0), -10.0, 10.0)
    return moves
