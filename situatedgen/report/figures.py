"""Pictures of a dataset, drawn without a screen."""

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from situatedgen.report.drawing import (
    CONTEXT_COLOURS,
    INK,
    KEPT,
    OUT,
    SPLIT_COLOURS,
    STYLE,
    beside,
    png,
    sheet,
    stacked_bars,
    thousands,
)
from situatedgen.report.statistics import Statistics
from situatedgen.vocabulary import Split, Verdict

STATEMENT_STAGES = ("items", "statements", "entities", "masks")
PAIR_STAGES = ("candidates", "pairs", "splits")
SHOWN_REASONS = 3


def drawn(statistics: Statistics) -> dict[str, bytes]:
    """Every picture as PNG, by file name."""
    pictures = (funnel, sources, contexts, keywords, communities)
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(STYLE)
        return {f"{picture.__name__}.png": png(picture(statistics)) for picture in pictures}


def funnel(statistics: Statistics) -> Figure:
    """What each stage kept, and why the rest is out: statements above, pairs below."""
    figure, (above, below) = sheet(10, 5.2, rows=2)
    _funnel_panel(above, statistics, STATEMENT_STAGES, "From source records to masked statements")
    _funnel_panel(below, statistics, PAIR_STAGES, "From candidate pairs to the dataset")
    return figure


def _funnel_panel(panel: Axes, statistics: Statistics, stages: tuple[str, ...], title: str) -> None:
    counts = {stage: {step.verdict: step.rows for step in statistics.funnel if step.stage == stage} for stage in stages}
    kept = [counts[stage].pop(Verdict.KEPT, 0) for stage in stages]
    out = [sum(counts[stage].values()) for stage in stages]
    stacked_bars(panel, stages, {"kept": kept, "out": out}, (KEPT, OUT))
    notes = [_reasons(own, counts[stage]) for own, stage in zip(kept, stages, strict=True)]
    beside(panel, [own + other for own, other in zip(kept, out, strict=True)], notes)
    panel.set_title(title)
    thousands(panel.xaxis)


def _reasons(kept: int, out: dict[Verdict, int]) -> str:
    """How many are kept, and the commonest reasons why others are out."""
    first = sorted(out.items(), key=lambda count: -count[1])
    named = [f"{verdict.value.replace('_', ' ')} {rows:,}" for verdict, rows in first[:SHOWN_REASONS]]
    rest = sum(rows for _, rows in first[SHOWN_REASONS:])
    return " · ".join([f"kept {kept:,}", *named, *([f"other {rest:,}"] if rest else [])])


def sources(statistics: Statistics) -> Figure:
    """The statements of each source that name a place, a time, or both."""
    rows = statistics.sources
    figure, (panel,) = sheet(9, 1.4 + 0.45 * len(rows))
    parts = {
        "place only": [row.geo for row in rows],
        "time only": [row.temp for row in rows],
        "both": [row.both for row in rows],
    }
    stacked_bars(panel, [row.source for row in rows], parts, tuple(CONTEXT_COLOURS.values()))
    beside(panel, [row.valid for row in rows], [f"{row.valid:,} of {row.sentences:,} sentences" for row in rows])
    panel.set_title("Statements with a place or a time, by source")
    panel.legend(ncols=3, loc="upper left", bbox_to_anchor=(0, -0.12 - 0.3 / max(len(rows), 1)))
    thousands(panel.xaxis)
    return figure


def contexts(statistics: Statistics) -> Figure:
    """Which contexts the pairs of each split share, as shares of the split."""
    pairs = {(count.split, count.context): count.pairs for count in statistics.contexts}
    totals = [sum(pairs[split, context] for context in CONTEXT_COLOURS) for split in Split]
    figure, (panel,) = sheet(9, 2.8)
    parts = {
        context.value: [100 * pairs[split, context] / (total or 1) for split, total in zip(Split, totals, strict=True)]
        for context in CONTEXT_COLOURS
    }
    stacked_bars(panel, [split.value for split in Split], parts, tuple(CONTEXT_COLOURS.values()))
    notes = [_shares(part, total) for *part, total in zip(*parts.values(), totals, strict=True)]
    beside(panel, [100 if total else 0 for total in totals], notes)
    panel.set_title("What the two statements of a pair share")
    panel.set_xlabel("% of the pairs of the split")
    panel.legend(ncols=3, loc="upper left", bbox_to_anchor=(0, -0.3))
    return figure


def _shares(part: list[float], total: int) -> str:
    shown = " · ".join(f"{share:.1f} %" for share in part)
    return f"{shown} of {total:,}" if total else "no pairs"


def keywords(statistics: Statistics) -> Figure:
    """How many examples have so many keywords, by split."""
    counts = statistics.keywords
    figure, (panel,) = sheet(9, 4)
    widths = sorted({each.keywords for each in counts.histogram})
    bottom = dict.fromkeys(widths, 0)
    for split, colour in SPLIT_COLOURS.items():
        own = {each.keywords: each.examples for each in counts.histogram if each.split == split}
        heights = [own.get(width, 0) for width in widths]
        panel.bar(widths, heights, bottom=list(bottom.values()), color=colour, label=split.value, width=0.8)
        bottom = {width: bottom[width] + own.get(width, 0) for width in widths}
    panel.axvline(counts.mean, color=INK, linewidth=1, linestyle=(0, (4, 3)))
    panel.set_title(f"Keywords of an example: mean {counts.mean:.2f}, skewness {counts.skewness:.2f}")
    panel.set_xlabel("keywords")
    panel.set_ylabel("examples")
    panel.xaxis.set_major_locator(MaxNLocator(integer=True))
    panel.legend(loc="upper right")
    thousands(panel.yaxis)
    return figure


def communities(statistics: Statistics) -> Figure:
    """The pairs of each community, the largest first, in the colour of its split."""
    sized = sorted(
        (size for size in statistics.graph.sizes if size.split),
        key=lambda size: (-size.pairs, size.community),
    )
    figure, (panel,) = sheet(9, 4)
    colours = [SPLIT_COLOURS[size.split] for size in sized if size.split]
    panel.bar(range(1, len(sized) + 1), [size.pairs for size in sized], color=colours, width=0.8)
    panel.set_yscale("log" if sized else "linear")
    graph = statistics.graph
    cut = f"{100 * graph.cut_share:.1f} % of {graph.pairs:,} pairs cut"
    panel.set_title(f"{len(sized)} communities with pairs; {cut} between communities")
    panel.set_xlim(0.3, max(len(sized), 1) + 0.7)
    panel.set_ylim(bottom=0.8)
    panel.set_xlabel("community, by size")
    panel.set_ylabel("pairs")
    panel.xaxis.set_major_locator(MaxNLocator(integer=True))
    handles = [Patch(color=colour, label=split.value) for split, colour in SPLIT_COLOURS.items()]
    panel.legend(handles=handles, loc="upper right")
    thousands(panel.yaxis)
    return figure
