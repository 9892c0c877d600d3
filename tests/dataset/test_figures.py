"""Figures: each says its numbers in words, has the same bytes each time, and nothing in it is cut off."""

import math
from dataclasses import replace
from io import BytesIO
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from situatedgen.dataset.counts import measure
from situatedgen.dataset.figures import draw_figures, place_bubbles
from situatedgen.dataset.plot_style import DARK
from situatedgen.dataset.statistics import (
    CommunityLink,
    CommunitySize,
    ContextCount,
    FunnelStep,
    Graph,
    KeywordBin,
    KeywordCounts,
    Leakage,
    SimilarityBin,
    SourceCounts,
    SplitCounts,
    Statistics,
)
from situatedgen.leakage.certificate import BINS, Balance, Certificate, Comparison, Hubs, Nearness, SplitLeakage
from situatedgen.pipeline import PIPELINE
from situatedgen.vocabulary import Context, Split, Verdict

LONG = "</text><script> & $a name$ that is far too long for the room there is"
COUNTS = SourceCounts("creak", 90, 80, 30, 20, 10, 60)
FOUND = Statistics(
    sources=(COUNTS, replace(COUNTS, source=LONG)),
    all_sources=replace(COUNTS, source="total"),
    splits=tuple(SplitCounts(split, 10, 20, 2.0, 30, 5.0, 16.0) for split in Split),
    funnel=(
        *(FunnelStep(stage, Verdict.KEPT, 60) for stage in ("items", "statements", "entities", "masks", "candidates")),
        FunnelStep("candidates", Verdict.SHARED_ENTITY, 1234),
        FunnelStep("pairs", Verdict.KEPT, 40),
        FunnelStep("pairs", Verdict.TOO_DISSIMILAR, 5),
        FunnelStep("splits", Verdict.KEPT, 30),
    ),
    contexts=tuple(
        ContextCount(split, context, number)
        for split in Split
        for context, number in ((Context.GEO, 6), (Context.TEMP, 3), (Context.BOTH, 1))
    ),
    keywords=KeywordCounts(5.25, 0.1, (KeywordBin(Split.TRAIN, 4, 7), KeywordBin(Split.TEST, 6, 1111))),
    graph=Graph(
        statements=12,
        pairs=30,
        communities=3,
        cut_pairs=6,
        cut_share=0.2,
        moved_pairs=0,
        moved_share=0.0,
        sizes=(
            CommunitySize(0, 6, 1500, Split.TRAIN),
            CommunitySize(1, 4, 9, Split.DEV),
            CommunitySize(2, 2, 0, None),
        ),
        links=(CommunityLink(0, 1, 6),),
    ),
    leakage=Leakage(0, 0, 0),
    similarities=(SimilarityBin(78, 0, 500), SimilarityBin(80, 40, 0)),
)


def near(split: Split, *places: int) -> SplitLeakage:
    """All sentences of a split, in equal parts, in some bins."""
    histogram = tuple(places.count(number) / len(places) for number in range(BINS))
    found = Nearness(10, 0.5, 0.5, 0.6, 0.7, 0.8, 0.1, 0.0, histogram)
    return SplitLeakage(split, found, found, ())


def certificate(*places: int) -> Certificate:
    splits = near(Split.DEV, *places), near(Split.TEST, *places)
    return Certificate(10, 0, splits, Hubs(10, 20, 1, 0.3, 0.1), Balance(0.0, 0.1, 0.1))


@pytest.fixture(scope="module")
def drawings():
    """Every figure there can be, leakage beside random packing."""
    comparison = Comparison(certificate(2, 2, 5, 5), 8, certificate(29))
    return draw_figures(replace(FOUND, certificate=comparison), 0.8)


def texts(picture: bytes) -> list[str]:
    """The texts of an SVG, read as the XML that it is."""
    found = ElementTree.fromstring(picture.decode("utf-8"))
    return ["".join(each.itertext()) for each in found.iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("funnel", ["60 kept", "1,234 shared entity", "40 kept", "5 too dissimilar", "Pairs of sentences"]),
        ("sources", ["creak", "60 of 80", "place only", "</text><script> & $a name$ that…"]),
        ("contexts", ["train", "10 pairs", "60.0 %", "30.0 %", "GEO & TEMP"]),
        ("keywords", ["4", "5", "6", "7", "1,111", "mean 5.25", "examples"]),
        ("communities", ["3 communities, each wholly in one split", "1,500", "no pairs left"]),
        ("similarities", ["threshold 0.8", "0.80", "100", "1,000", "similar enough"]),
        ("leakage", ["% of dev", "% of test", "similar enough for a pair: 0.8", "random packing"]),
    ],
)
def test_a_figure_says_its_numbers_in_words(drawings, name, wanted):
    found = texts(drawings[name].svg)
    assert [word for word in wanted if word not in found] == []


def test_same_numbers_give_the_same_bytes_and_others_change_only_their_figure():
    first, again = draw_figures(FOUND, 0.8), draw_figures(FOUND, 0.8)
    assert first == again
    other = draw_figures(replace(FOUND, keywords=replace(FOUND.keywords, mean=5.5)), 0.8)
    assert [name for name in first if other[name].svg != first[name].svg] == ["keywords"]
    assert [name for name in first if other[name].png != first[name].png] == ["keywords"]


def test_nothing_is_cut_off_at_an_edge(drawings):
    for name, drawing in drawings.items():
        pixels = np.asarray(Image.open(BytesIO(drawing.png)).convert("L"))
        edges = (pixels[:8], pixels[-8:], pixels[:, :8], pixels[:, -8:])
        assert all((edge == 255).all() for edge in edges), name
        assert (pixels < 255).any(), name


def test_ink_and_paper_have_other_colours_in_dark_mode(drawings):
    for name, drawing in drawings.items():
        root = ElementTree.fromstring(drawing.svg.decode("utf-8"))
        styles = [each.get("style", "") for each in root.iter()]
        rules = "".join(each.text for each in root.iter("{http://www.w3.org/2000/svg}style"))
        assert "@media (prefers-color-scheme:dark)" in rules
        used = {colour for colour in DARK for style in styles if f"fill: {colour}" in style}
        assert {"#22282e", "#5f6b76", "#ffffff"} <= used, name  # text, notes, background
        assert [colour for colour in used if f'[style*="fill: {colour}"]{{fill:{DARK[colour]}' not in rules] == []


def test_leakage_is_drawn_only_where_it_was_measured():
    assert "leakage" not in draw_figures(FOUND)
    alone = draw_figures(replace(FOUND, certificate=Comparison(certificate(2), 8, None)))["leakage"]
    assert "random packing" not in texts(alone.svg)


def test_an_empty_dataset_can_be_drawn():
    empty = draw_figures(measure({stage.name: stage.schema.empty for stage in PIPELINE}), 0.8)
    assert sorted(empty) == ["communities", "contexts", "funnel", "keywords", "similarities", "sources"]


@given(st.lists(st.floats(3, 40), max_size=30), st.data())
def test_bubbles_lie_in_the_room_and_none_covers_another(radii, data):
    ends = st.integers(0, max(len(radii) - 1, 0))
    drawn = data.draw(st.lists(st.tuples(ends, ends), max_size=20)) if len(radii) > 1 else []
    links = [(one, two) for one, two in drawn if one != two]
    room = np.array([864.0, 900.0])
    places = place_bubbles(np.array(radii), links, np.ones(len(links)), room)
    for number, (place, radius) in enumerate(zip(places, radii, strict=True)):
        assert (place - radius >= -0.1).all()
        assert (place + radius <= room + 0.1).all()
        for other in range(number):
            assert math.dist(place, places[other]) > radius + radii[other] - 1


def test_a_link_draws_bubbles_together():
    room, radii = np.array([800.0, 500.0]), np.full(12, 20.0)
    linked, free = (place_bubbles(radii, links, np.ones(len(links)), room) for links in ([(10, 11)], []))
    assert math.dist(linked[10], linked[11]) < 0.6 * math.dist(free[10], free[11])
