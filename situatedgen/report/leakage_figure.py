"""How near dev and test come to train: the splits as they are beside random packing."""

from situatedgen.leakage.certificate import BINS, LOWEST, NEAR, WIDTH, Comparison, SplitLeakage
from situatedgen.report.pictures import charts
from situatedgen.report.pictures.charts import HEADING, LABEL, MARGIN, SMALL, Area, heading, key, levels, round_numbers
from situatedgen.report.pictures.shapes import FAINT, INK, SPLIT_COLOURS, Box, Line, Picture, Shape, Words

PANEL, GAP = 150, 74
RANDOM = "random packing"
MARKED = 5
"""Every fifth bin has its number below."""


def leakage(found: Comparison) -> Picture:
    """A panel a split: the cosine of each of its sentences with the nearest sentence of train."""
    others = {each.split: each for each in found.random.splits} if found.random else {}
    title = "How near sentences of dev and test come to train"
    note = "Share of sentences by the cosine with the nearest masked sentence of train, in steps of 0.02"
    colours = {each.split.value: SPLIT_COLOURS[each.split] for each in found.built.splits}
    known = colours | ({RANDOM: INK} if others else {})
    shapes: list[Shape] = [*heading(title, note), *key(known, MARGIN, HEADING + 16)]
    top = HEADING + 62.0
    for each in found.built.splits:
        area = Area(76, top, charts.WIDTH - 76 - MARGIN, PANEL)
        shapes += _panel(area, each, others.get(each.split))
        top += PANEL + GAP
    return Picture(charts.WIDTH, round(top - 20), title, note, tuple(shapes))


def _panel(area: Area, own: SplitLeakage, other: SplitLeakage | None) -> list[Shape]:
    shares = [100 * share for share in own.sentences.histogram]
    random = [100 * share for share in other.sentences.histogram] if other else []
    most = max([*shares, *random], default=0) * 1.1
    step = area.width / BINS
    bars = [
        Box(
            area.x + (number + 0.1) * step,
            area.bottom - area.height * share / (most or 1),
            0.8 * step,
            area.height * share / (most or 1),
            SPLIT_COLOURS[own.split],
            _hint(number, share, random),
        )
        for number, share in enumerate(shares)
    ]
    return [
        *levels(area, round_numbers(most, about=3), most, title=f"% of {own.split.value}"),
        *bars,
        *_caps(area, random, most, step),
        *_axis(area, step),
    ]


def _hint(number: int, share: float, random: list[float]) -> str:
    beside = f", {RANDOM} {random[number]:.1f} %" if random else ""
    return f"from {LOWEST + number * WIDTH:.2f}: {share:.1f} %{beside}"


def _caps(area: Area, random: list[float], most: float, step: float) -> list[Shape]:
    """Short lines where the bars of random packing would end."""
    heights = [area.bottom - area.height * share / (most or 1) for share in random]
    return [
        Line(area.x + number * step, y, area.x + (number + 1) * step, y, INK, 2)
        for number, (y, share) in enumerate(zip(heights, random, strict=True))
        if share
    ]


def _axis(area: Area, step: float) -> list[Shape]:
    numbers: list[Shape] = [
        Words(area.x + number * step, area.bottom + 17, f"{LOWEST + number * WIDTH:.1f}", SMALL, anchor="middle")
        for number in range(0, BINS + 1, MARKED)
    ]
    x = area.x + (NEAR - LOWEST) / WIDTH * step
    near: list[Shape] = [
        Line(x, area.y - 6, x, area.bottom, INK, 1.2, dashed=True),
        Words(x + 6, area.y + 4, f"alike enough for a pair: {NEAR:g}", SMALL, INK),
        Words(area.right, area.bottom + 34, "cosine", LABEL, FAINT, anchor="end"),
    ]
    return [*numbers, *near]
