"""The communities of a dataset drawn as a graph: bubbles and the pairs that were cut between them."""

import math

from situatedgen.report.pictures.bubbles import laid_out
from situatedgen.report.pictures.charts import HEADING, MARGIN, SMALL, WIDTH, Area, heading, key
from situatedgen.report.pictures.fonts import width
from situatedgen.report.pictures.shapes import (
    ON_COLOUR,
    OUT,
    PAPER,
    RULE,
    SPLIT_COLOURS,
    Disc,
    Line,
    Picture,
    Shape,
    Words,
)
from situatedgen.report.statistics import CommunityLink, CommunitySize, Statistics
from situatedgen.vocabulary import Split

SHOWN = 80
"""So many of the largest communities are drawn."""
SHOWN_LINKS = 160
HEIGHT = 460
FILLED = 0.2
"""The share of the picture that the bubbles fill."""


def communities(statistics: Statistics) -> Picture:
    """The largest communities, each a bubble as large as it has statements, in the colour of its split."""
    graph = statistics.graph
    shown = sorted(graph.sizes, key=lambda size: (-size.statements, size.community))[:SHOWN]
    area = Area(MARGIN, HEADING + 34, WIDTH - 2 * MARGIN, HEIGHT)
    title = f"{graph.communities:,} communities, each wholly in one split"
    note = (
        f"A bubble is a community, as large as it has sentences, with its number of pairs; lines are "
        f"pairs that are cut, {graph.cut_pairs:,} in all ({100 * graph.cut_share:.1f} %)"
    )
    colours = {**{split.value: colour for split, colour in SPLIT_COLOURS.items()}, "no pair left": OUT}
    shapes = (*heading(title, note), *key(colours, MARGIN, HEADING + 16), *_graph(shown, graph.links, area))
    more = f"; the {SHOWN} largest are drawn" if graph.communities > SHOWN else ""
    return Picture(WIDTH, round(area.bottom + MARGIN), title, note + more, shapes)


def _graph(shown: list[CommunitySize], links: tuple[CommunityLink, ...], area: Area) -> list[Shape]:
    place = {size.community: number for number, size in enumerate(shown)}
    drawn = [link for link in links if link.left in place and link.right in place][:SHOWN_LINKS]
    statements = sum(size.statements for size in shown)
    scale = math.sqrt(FILLED * area.width * area.height / math.pi / (statements or 1))
    radii = [max(scale * math.sqrt(size.statements), 3.0) for size in shown]
    ends = [(place[link.left], place[link.right], float(link.pairs)) for link in drawn]
    centres = laid_out(radii, ends, area)
    lines = [
        _line(link, centres[one], centres[two], drawn[0].pairs) for link, (one, two, _) in zip(drawn, ends, strict=True)
    ]
    bubbles = [
        shape
        for size, radius, (x, y) in zip(shown, radii, centres, strict=True)
        for shape in _bubble(size, radius, x, y)
    ]
    return [*reversed(lines), *bubbles]


def _line(link: CommunityLink, one: tuple[float, float], two: tuple[float, float], most: int) -> Line:
    share = link.pairs / most
    hint = f"{link.pairs:,} pairs cut between communities {link.left} and {link.right}"
    return Line(*one, *two, OUT if share > 0.1 else RULE, 1 + 8 * share, hint=hint)


def _bubble(size: CommunitySize, radius: float, x: float, y: float) -> list[Shape]:
    colour = SPLIT_COLOURS[size.split] if size.split else OUT
    where = size.split.value if size.split else "no pair left"
    hint = f"community {size.community}: {size.statements:,} sentences, {size.pairs:,} pairs, {where}"
    disc, text = Disc(x, y, radius, colour, hint), f"{size.pairs:,}"
    if not size.pairs or width(text, SMALL, bold=True) + 4 > 2 * radius:
        return [disc]
    ink = ON_COLOUR if size.split is Split.DEV else PAPER
    return [disc, Words(x, y + 4, text, SMALL, ink, bold=True, anchor="middle")]
