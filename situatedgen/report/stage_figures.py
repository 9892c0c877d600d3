"""Pictures of the way to the dataset: what each stage kept, and how alike its candidates were."""

import math
from collections.abc import Sequence

from situatedgen.report.pictures.charts import (
    HEADING,
    LABEL,
    MARGIN,
    ROW,
    SMALL,
    WIDTH,
    Area,
    below,
    heading,
    key,
    lying_bars,
)
from situatedgen.report.pictures.fonts import width
from situatedgen.report.pictures.shapes import BLUE, FAINT, INK, OUT, RULE, Box, Line, Picture, Shape, Words
from situatedgen.report.statistics import SimilarityBin, Statistics
from situatedgen.vocabulary import Verdict

FIRST_OF_PAIRS = "candidates"
NAMES, BARS = 120, 250
SHOWN_REASONS = 3
Counts = dict[str, dict[Verdict, int]]


def funnel(statistics: Statistics) -> Picture:
    """What each stage kept, and why the rest is out: statements above, pairs below."""
    counts: Counts = {}
    for step in statistics.funnel:
        counts.setdefault(step.stage, {})[step.verdict] = step.rows
    stages = list(counts)
    border = stages.index(FIRST_OF_PAIRS)
    title, note = (
        "What stays and what goes",
        "Rows of each stage: kept ones in blue; the rest is out for the reason named",
    )
    first = HEADING + 26
    second = first + ROW * border + 34
    shapes = (
        *heading(title, note),
        Words(MARGIN, first - 10, "Sentences", LABEL, bold=True),
        *_panel({stage: counts[stage] for stage in stages[:border]}, first),
        Words(MARGIN, second - 10, "Pairs of sentences", LABEL, bold=True),
        *_panel({stage: counts[stage] for stage in stages[border:]}, second),
    )
    return Picture(WIDTH, round(second + ROW * (len(stages) - border) + 12), title, note, shapes)


def _panel(counts: Counts, y: float) -> list[Shape]:
    area = Area(NAMES, y, BARS, ROW * len(counts))
    kept = [verdicts.get(Verdict.KEPT, 0) for verdicts in counts.values()]
    out = [sum(verdicts.values()) - own for verdicts, own in zip(counts.values(), kept, strict=True)]
    most = max((own + other for own, other in zip(kept, out, strict=True)), default=0)
    bars = lying_bars(area, list(counts), {"kept": kept, "out": out}, {"kept": BLUE, "out": OUT}, most)
    x = area.right + 10
    notes = [part for row, verdicts in enumerate(counts.values()) for part in _note(x, y + row * ROW + 14.5, verdicts)]
    return [*bars, *notes]


def _note(x: float, y: float, verdicts: dict[Verdict, int]) -> list[Shape]:
    """How many are kept, and the commonest reasons why others are out, as many as there is room for."""
    kept = f"{verdicts.get(Verdict.KEPT, 0):,} kept"
    start = x + width(kept, SMALL, bold=True) + 8
    reasons = sorted(((v, rows) for v, rows in verdicts.items() if v is not Verdict.KEPT), key=lambda each: -each[1])
    texts = (_reasons(reasons, shown) for shown in range(min(SHOWN_REASONS, len(reasons)), -1, -1))
    fitting = next((text for text in texts if start + width(text, SMALL) < WIDTH - MARGIN), "")
    return [Words(x, y, kept, SMALL, bold=True), *([Words(start, y, fitting, SMALL, FAINT)] if fitting else [])]


def _reasons(reasons: Sequence[tuple[Verdict, int]], shown: int) -> str:
    named = [f"{rows:,} {verdict.value.replace('_', ' ')}" for verdict, rows in reasons[:shown]]
    rest = sum(rows for _, rows in reasons[shown:])
    return " · ".join([*named, *([f"{rest:,} {'other' if named else 'out'}"] if rest else [])])


def similarities(statistics: Statistics, threshold: float | None) -> Picture:
    """How alike the candidates are that break no rule, and where the threshold lies, on a scale of powers of ten."""
    bins = _gapless(statistics.similarities)
    counts = [each.kept + each.too_dissimilar for each in bins]
    decades = math.ceil(math.log10(max(counts, default=0) + 1)) or 1
    area = Area(76, HEADING + 62, WIDTH - 76 - MARGIN, 240)
    kept, out = sum(each.kept for each in bins), sum(each.too_dissimilar for each in bins)
    title = "How alike the two masked sentences of a pair are"
    note = f"Of {kept + out:,} pairs that break no rule, {kept:,} are alike enough; mind the scale of powers of ten"
    names = [f"{each.percent / 100:.2f}" if each.percent % 5 == 0 else "" for each in bins]
    shapes = (
        *heading(title, note),
        *key({"alike enough": BLUE, "too dissimilar": OUT}, MARGIN, HEADING + 16),
        *_powers(area, decades),
        *_columns(area, bins, decades),
        *below(area, names, title="cosine similarity, in steps of 0.01"),
        *_threshold(area, bins, threshold),
    )
    return Picture(WIDTH, round(area.bottom + 54), title, note, shapes)


def _gapless(bins: tuple[SimilarityBin, ...]) -> list[SimilarityBin]:
    """The bins, with empty ones where no candidate lies."""
    known = {each.percent: each for each in bins}
    percents = range(min(known), max(known) + 1) if known else ()
    return [known.get(percent, SimilarityBin(percent, 0, 0)) for percent in percents]


def _powers(area: Area, decades: int) -> list[Shape]:
    found: list[Shape] = [Words(area.x - 48, area.y - 14, "pairs", LABEL, FAINT)]
    for power in range(decades + 1):
        y = area.bottom - area.height * power / decades
        found.append(Line(area.x, y, area.right, y, RULE))
        found.append(Words(area.x - 8, y + 4, f"{10**power:,}", SMALL, FAINT, anchor="end"))
    return found


def _columns(area: Area, bins: list[SimilarityBin], decades: int) -> list[Shape]:
    """A bar a bin; on this scale parts cannot be stacked, so each has the colour of most of it."""
    step = area.width / max(len(bins), 1)
    found: list[Shape] = []
    for number, each in enumerate(bins):
        count = each.kept + each.too_dissimilar
        height = area.height * (math.log10(count) if count else 0) / decades
        colour = BLUE if each.kept >= each.too_dissimilar else OUT
        hint = f"from {each.percent / 100:.2f}: {each.kept:,} alike enough, {each.too_dissimilar:,} too dissimilar"
        found.append(Box(area.x + (number + 0.1) * step, area.bottom - height, 0.8 * step, height, colour, hint))
    return found


def _threshold(area: Area, bins: list[SimilarityBin], threshold: float | None) -> list[Shape]:
    if threshold is None or not bins:
        return []
    x = area.x + (threshold * 100 - bins[0].percent) * area.width / len(bins)
    if not area.x <= x <= area.right:
        return []
    line = Line(x, area.y - 6, x, area.bottom, INK, 1.2, dashed=True)
    return [line, Words(x + 6, area.y + 6, f"threshold {threshold:g}", LABEL, bold=True)]
