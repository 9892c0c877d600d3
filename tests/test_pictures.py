"""Pictures: read back as what they are, the same to the byte, and nothing in them covers or leaves anything."""

import math
from dataclasses import replace
from io import BytesIO
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from situatedgen.leakage.certificate import BINS, Balance, Certificate, Comparison, Hubs, Nearness, SplitLeakage
from situatedgen.pipeline import PIPELINE
from situatedgen.report.figures import bitmaps, pictures, vectors
from situatedgen.report.measuring import measured
from situatedgen.report.pictures.bubbles import laid_out
from situatedgen.report.pictures.charts import WIDTH, Area, round_numbers
from situatedgen.report.pictures.fonts import fitted, width
from situatedgen.report.pictures.png import SCALE, png
from situatedgen.report.pictures.shapes import BLUE, Box, Disc, Line, Picture, Words
from situatedgen.report.pictures.svg import svg
from situatedgen.report.statistics import (
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
from situatedgen.vocabulary import Context, Split, Verdict

COUNTS = SourceCounts("creak", 90, 80, 30, 20, 10, 60)
FOUND = Statistics(
    sources=(COUNTS, replace(COUNTS, source="<own> & a name that is far too long for the room there is")),
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


def test_leakage_is_drawn_beside_random_packing_where_it_was_measured():
    assert "leakage" not in pictures(FOUND)
    alone, beside = (
        pictures(replace(FOUND, certificate=Comparison(certificate(2, 2, 5, 5), 8, random)))["leakage"]
        for random in (None, certificate(29))
    )
    bars = [shape for shape in alone.shapes if isinstance(shape, Box) and shape.hint and shape.height]
    assert [bar.hint for bar in bars] == ["from 0.44: 50.0 %", "from 0.50: 50.0 %"] * 2
    caps = [shape for shape in beside.shapes if isinstance(shape, Line) and shape.width == 2]
    assert len(caps) == 2
    assert "random packing" in texts(svg(beside).encode("utf-8"))
    assert "random packing" not in texts(svg(alone).encode("utf-8"))


def texts(picture: bytes) -> list[str]:
    """What stands in an SVG, read as the XML that it is."""
    found = ElementTree.fromstring(picture.decode("utf-8"))
    return ["".join(each.itertext()) for each in found.iter("{http://www.w3.org/2000/svg}text")]


def test_each_picture_is_there_as_svg_and_png():
    names = ["communities", "contexts", "funnel", "keywords", "similarities", "sources"]
    assert sorted(vectors(FOUND)) == sorted(bitmaps(FOUND)) == names


def test_pictures_are_the_same_to_the_byte_and_show_the_numbers():
    for drawn in (vectors, bitmaps):
        first, again = drawn(FOUND, 0.8), drawn(FOUND, 0.8)
        assert first == again
        other = drawn(replace(FOUND, keywords=replace(FOUND.keywords, mean=5.5)), 0.8)
        assert [name for name in first if other[name] != first[name]] == ["keywords"]


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("funnel", ["60 kept", "1,234 shared entity", "40 kept", "5 too dissimilar", "Pairs of sentences"]),
        ("sources", ["creak", "60 of 80 sentences", "place only"]),
        ("contexts", ["train (10)", "60.0 %", "30.0 %", "10.0 %", "GEO & TEMP"]),
        ("keywords", ["4", "5", "6", "7", "1,111", "▲ mean 5.25", "examples"]),
        ("communities", ["3 communities, each wholly in one split", "1,500", "no pair left"]),
        ("similarities", ["threshold 0.8", "0.80", "100", "1,000", "alike enough"]),
    ],
)
def test_a_picture_says_its_numbers_in_words(name, wanted):
    found = texts(vectors(FOUND, 0.8)[name])
    assert [word for word in wanted if word not in found] == []


def test_no_words_leave_the_sheet():
    for picture in pictures(FOUND, 0.8).values():
        for words in (shape for shape in picture.shapes if isinstance(shape, Words)):
            wide = width(words.text, words.size, bold=words.bold)
            left = words.x - {"start": 0.0, "middle": wide / 2, "end": wide}[words.anchor]
            assert left >= 0, words
            assert left + wide <= picture.width, words
            assert 0 < words.y < picture.height, words


def test_nothing_can_be_drawn():
    empty = measured({stage.name: stage.schema.empty for stage in PIPELINE})
    assert len(vectors(empty, 0.8)) == len(bitmaps(empty, 0.8)) == 6


def test_a_png_has_the_colours_where_its_svg_has_them():
    shapes = (Box(10, 10, 20, 20, BLUE), Disc(60, 20, 10, "#e69f00"), Line(0, 45, 100, 45, "#009e73", 4))
    image = Image.open(BytesIO(png(Picture(100, 60, "", "", shapes))))
    assert image.size == (150, 90)
    at = {name: image.getpixel((round(x * SCALE), round(y * SCALE))) for name, x, y in POINTS}
    assert at == {"box": (0, 114, 178), "disc": (230, 159, 0), "line": (0, 158, 115), "paper": (255, 255, 255)}


POINTS = (("box", 20, 20), ("disc", 60, 20), ("line", 50, 45), ("paper", 90, 10))


def test_text_of_the_data_is_no_markup():
    evil = '</text><script>alert("x")</script>&'
    picture = svg(Picture(10, 10, evil, evil, (Words(0, 5, evil), Box(0, 0, 1, 1, BLUE, evil))))
    assert "<script" not in picture
    assert texts(picture.encode("utf-8")) == [evil]


@given(st.text(min_size=1, max_size=60), st.floats(20, 200))
def test_a_fitted_text_fits(text, room):
    assert width(fitted(text, 12, room), 12) <= max(room, width("…", 12))


@given(st.floats(0.001, 1e9))
def test_round_numbers_rise_from_nothing_to_the_largest(most):
    found = round_numbers(most)
    assert found[0] == 0
    assert found[-1] <= most * (1 + 1e-9)
    assert len(found) <= 7
    assert found == sorted(set(found))


@given(st.lists(st.floats(3, 40), max_size=30), st.data())
def test_bubbles_lie_in_the_area_and_none_covers_another(radii, data):
    ends = st.integers(0, max(len(radii) - 1, 0))
    links = data.draw(st.lists(st.tuples(ends, ends, st.floats(1, 100)), max_size=20)) if len(radii) > 1 else []
    area = Area(10, 20, WIDTH, 900)
    places = laid_out(radii, [link for link in links if link[0] != link[1]], area)
    for number, (x, y) in enumerate(places):
        assert area.x - 0.1 <= x - radii[number] <= x + radii[number] <= area.right + 0.1
        assert area.y - 0.1 <= y - radii[number] <= y + radii[number] <= area.bottom + 0.1
        for other in range(number):
            assert math.dist((x, y), places[other]) > radii[number] + radii[other] - 1


def test_a_link_draws_bubbles_together():
    area = Area(0, 0, 800, 500)
    linked, free = (laid_out([20.0] * 12, links, area) for links in ([(10, 11, 5.0)], []))
    assert math.dist(linked[10], linked[11]) < 0.6 * math.dist(free[10], free[11])
