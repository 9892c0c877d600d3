"""Masks: what stays of a statement, which contexts it has, and whether it may stay."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from situatedgen import testing
from situatedgen.params import MaskParams
from situatedgen.records import Span
from situatedgen.rules.keywords import context_of, mask, mask_verdict
from situatedgen.schemas import ENTITIES, KEYWORDS, MASKS, STATEMENTS, check
from situatedgen.stages.masks import masks
from situatedgen.vocabulary import Context, Label, Verdict

PARAMS = MaskParams(mask="[UNK]", min_masks=2, max_masks=5)
DATE, EVENT, GPE, LOC, TIME = Label.DATE, Label.EVENT, Label.GPE, Label.LOC, Label.TIME


def test_the_example_of_the_paper():
    """July, summer and China are hidden; "is", "in" and the full stop stay."""
    text = "July is summer in China."
    assert mask(text, [Span(0, 4), Span(8, 14), Span(18, 23)], "[UNK]") == "[UNK] is [UNK] in [UNK]."


@pytest.mark.parametrize(
    ("spans", "masked"),
    [
        ([], "Rome fell"),  # nothing to hide
        ([Span(0, 9)], "#"),  # all of it
        ([Span(0, 4), Span(4, 5)], "##fell"),  # two that touch
    ],
)
def test_masks_stand_exactly_where_the_spans_are(spans, masked):
    assert mask("Rome fell", spans, "#") == masked


@st.composite
def masked_texts(draw):
    text = draw(st.text())
    cuts = sorted(draw(st.sets(st.integers(0, len(text)))))
    spans = [Span(start, end) for start, end in zip(cuts[::2], cuts[1::2], strict=False)]
    return text, spans, draw(st.text(min_size=1))


def unmask(masked, spans, words, sign):
    """The masked text with the hidden words put back, found by the offsets alone."""
    for span, word in zip(spans, words, strict=True):
        assert masked[span.start :].startswith(sign)
        masked = masked[: span.start] + word + masked[span.start + len(sign) :]
    return masked


@given(masked_texts())
def test_unmasking_gives_the_text_back(case):
    text, spans, sign = case
    words = [text[span.start : span.end] for span in spans]
    assert unmask(mask(text, spans, sign), spans, words, sign) == text


@pytest.mark.parametrize(
    ("labels", "context"),
    [
        ([], Context.NONE),  # nothing
        ([LOC, Label.PERSON], Context.NONE),  # a continent is no state
        ([GPE], Context.GEO),
        ([DATE], Context.TEMP),
        ([TIME], Context.TEMP),
        ([EVENT], Context.TEMP),
        ([LOC, EVENT, GPE], Context.BOTH),
    ],
)
def test_context_of_labels(labels, context):
    assert context_of(labels) is context


@pytest.mark.parametrize(
    ("context", "count", "verdict"),
    [
        (Context.NONE, 0, Verdict.NO_CONTEXT),  # no context comes before too few masks
        (Context.GEO, 1, Verdict.TOO_FEW_MASKS),
        (Context.GEO, 2, Verdict.KEPT),  # the least
        (Context.TEMP, 5, Verdict.KEPT),  # the most
        (Context.BOTH, 6, Verdict.TOO_MANY_MASKS),
    ],
)
def test_mask_verdict(context, count, verdict):
    assert mask_verdict(context, count, PARAMS) is verdict


def test_every_kept_statement_has_a_row_with_its_verdict():
    texts = testing.statements(
        ("a::1", "Rome is old."), ("a::2", "Cats sleep."), ("a::3", "July is summer in China.")
    ).vstack(STATEMENTS.frame([("b::1", "b", "Rome", "choice", 0.0, Verdict.LOST_ANSWER)]))
    named = testing.entities(
        texts,
        ("a::1", "Rome", GPE),
        ("a::2", "Cats", Label.PERSON),
        ("a::3", "July", DATE),
        ("a::3", "China", GPE),
    )
    words = testing.keywords(
        texts, ("a::1", "Rome", GPE), ("a::3", "July", DATE), ("a::3", "summer", None), ("a::3", "China", GPE)
    )
    table = check(masks(texts, named, words, params=PARAMS), MASKS, name="masks")
    assert table.rows() == [
        ("a::1", "[UNK] is old.", 1, "GEO", "too_few_masks"),
        ("a::2", "Cats sleep.", 0, "NONE", "no_context"),
        ("a::3", "[UNK] is [UNK] in [UNK].", 3, "GEO & TEMP", "kept"),
    ]


def test_nothing_in_nothing_out():
    assert_frame_equal(masks(STATEMENTS.empty, ENTITIES.empty, KEYWORDS.empty, params=PARAMS), MASKS.empty)
