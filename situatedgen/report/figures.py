"""Pictures of a dataset: what came in and stayed, and what the examples are like."""

from collections.abc import Callable
from functools import lru_cache

from situatedgen.report.graph_figure import communities
from situatedgen.report.leakage_figure import leakage
from situatedgen.report.pictures.charts import (
    BAR,
    HEADING,
    MARGIN,
    ROW,
    SMALL,
    WIDTH,
    Area,
    below,
    heading,
    key,
    levels,
    lying_bars,
    round_numbers,
    standing_bars,
)
from situatedgen.report.pictures.fonts import width
from situatedgen.report.pictures.png import png
from situatedgen.report.pictures.shapes import (
    BLUE,
    CONTEXT_COLOURS,
    INK,
    ON_COLOUR,
    ORANGE,
    PAPER,
    PURPLE,
    SPLIT_COLOURS,
    Picture,
    Shape,
    Words,
)
from situatedgen.report.pictures.svg import svg
from situatedgen.report.stage_figures import funnel, similarities
from situatedgen.report.statistics import Statistics
from situatedgen.vocabulary import Split

NAMES = 150
"""Room for the names of bars."""


@lru_cache(maxsize=1)
def pictures(statistics: Statistics, threshold: float | None = None) -> dict[str, Picture]:
    """Every picture by name; `threshold` is how alike pairs have to be. Leakage where there is a certificate."""
    drawn: dict[str, Callable[[Statistics], Picture]] = {
        "funnel": funnel,
        "sources": sources,
        "contexts": contexts,
        "keywords": keywords,
        "communities": communities,
    }
    found = {name: draw(statistics) for name, draw in drawn.items()}
    found["similarities"] = similarities(statistics, threshold)
    return {**found, "leakage": leakage(statistics.certificate)} if statistics.certificate else found


def vectors(statistics: Statistics, threshold: float | None = None) -> dict[str, bytes]:
    """Every picture as SVG, by name."""
    return {name: svg(picture).encode("utf-8") for name, picture in pictures(statistics, threshold).items()}


def bitmaps(statistics: Statistics, threshold: float | None = None) -> dict[str, bytes]:
    """Every picture as PNG, by name."""
    return {name: png(picture) for name, picture in pictures(statistics, threshold).items()}


def sources(statistics: Statistics) -> Picture:
    """The statements of each source that name a place, a time, or both."""
    rows = statistics.sources
    area = Area(NAMES, HEADING + 34, WIDTH - NAMES - 230, ROW * max(len(rows), 1))
    parts = {
        "place only": [row.geo for row in rows],
        "time only": [row.temp for row in rows],
        "both": [row.both for row in rows],
    }
    colours = dict(zip(parts, (BLUE, ORANGE, PURPLE), strict=True))
    most = max((row.valid for row in rows), default=0)
    ends = [area.x + area.width * row.valid / (most or 1) for row in rows]
    notes = [
        Words(end + 8, area.y + number * ROW + 14.5, f"{row.valid:,} of {row.sentences:,} sentences", SMALL)
        for number, (row, end) in enumerate(zip(rows, ends, strict=True))
    ]
    title = "Sentences that name a place or a time, by source"
    total = statistics.all_sources
    note = f"{total.valid:,} of {total.sentences:,} sentences; the others can be in no pair"
    shapes = (
        *heading(title, note),
        *key(colours, MARGIN, HEADING + 16),
        *lying_bars(area, [row.source for row in rows], parts, colours, most),
        *notes,
    )
    return Picture(WIDTH, round(area.bottom + 16), title, note, shapes)


def contexts(statistics: Statistics) -> Picture:
    """Which contexts the pairs of each split share, as shares of the split."""
    pairs = {(count.split, count.context): count.pairs for count in statistics.contexts}
    totals = {split: sum(pairs[split, context] for context in CONTEXT_COLOURS) for split in Split}
    parts = {
        context.value: [100 * pairs[split, context] / (totals[split] or 1) for split in Split]
        for context in CONTEXT_COLOURS
    }
    area = Area(NAMES, HEADING + 34, WIDTH - NAMES - MARGIN, ROW * len(totals))
    colours = {context.value: colour for context, colour in CONTEXT_COLOURS.items()}
    names = [f"{split.value} ({total:,})" for split, total in totals.items()]
    title, note = "What the two sentences of a pair share", "Share of the pairs of each split, in %"
    shapes = (
        *heading(title, note),
        *key(colours, MARGIN, HEADING + 16),
        *lying_bars(area, names, parts, colours, 100),
        *_inside(area, list(parts.values())),
    )
    return Picture(WIDTH, round(area.bottom + 16), title, note, shapes)


def _inside(area: Area, parts: list[list[float]]) -> list[Shape]:
    """Each share in its own part of the bar, where there is room."""
    found: list[Shape] = []
    for row in range(len(parts[0])):
        x = area.x
        for number, part in enumerate(parts):
            length, text = area.width * part[row] / 100, f"{part[row]:.1f} %"
            colour = PAPER if number == 0 else ON_COLOUR
            if width(text, SMALL) + 8 < length:
                found.append(
                    Words(x + length / 2, area.y + row * ROW + BAR - 5.5, text, SMALL, colour, anchor="middle")
                )
            x += length
    return found


def keywords(statistics: Statistics) -> Picture:
    """How many examples have so many keywords, by split: Figure 3 of the paper."""
    counts = statistics.keywords
    widths = sorted({each.keywords for each in counts.histogram})
    widths = list(range(widths[0], widths[-1] + 1)) if widths else []
    found = {(each.split, each.keywords): each.examples for each in counts.histogram}
    parts = {split.value: [found.get((split, number), 0) for number in widths] for split in SPLIT_COLOURS}
    totals = [sum(column) for column in zip(*parts.values(), strict=True)]
    most = max(totals, default=0) * 1.08
    area = Area(76, HEADING + 62, WIDTH - 76 - MARGIN, 240)
    colours = {split.value: colour for split, colour in SPLIT_COLOURS.items()}
    title = "How many keywords an example has"
    note = f"{sum(totals):,} examples; mean {counts.mean:.2f}, skewness {counts.skewness:.2f}"
    names = [str(number) for number in widths]
    shapes = (
        *heading(title, note),
        *key(colours, MARGIN, HEADING + 16),
        *levels(area, round_numbers(most), most, title="examples"),
        *standing_bars(area, names, parts, colours, most),
        *_totals(area, totals, most),
        *below(area, names, title="keywords of an example"),
        *_mean(area, widths, counts.mean),
    )
    return Picture(WIDTH, round(area.bottom + 54), title, note, shapes)


def _totals(area: Area, totals: list[int], most: float) -> list[Shape]:
    step = area.width / max(len(totals), 1)
    return [
        Words(
            area.x + (number + 0.5) * step,
            area.bottom - area.height * total / (most or 1) - 5,
            f"{total:,}",
            SMALL,
            anchor="middle",
        )
        for number, total in enumerate(totals)
        if total
    ]


def _mean(area: Area, widths: list[int], mean: float) -> list[Shape]:
    """A mark under the axis where the mean lies."""
    if not widths:
        return []
    x = area.x + (mean - widths[0] + 0.5) * area.width / len(widths)
    return [Words(x, area.bottom + 34, f"▲ mean {mean:.2f}", SMALL, INK, bold=True, anchor="middle")]
