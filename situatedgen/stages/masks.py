"""What is left of a statement when its keywords are hidden."""

import polars as pl

from situatedgen.params import MaskParams
from situatedgen.records import Span
from situatedgen.rules.contexts import context_of
from situatedgen.rules.masking import mask, mask_verdict
from situatedgen.schemas import MASKS
from situatedgen.vocabulary import GEO_LABELS, TEMP_LABELS, Label, Verdict


def masks(
    statements: pl.DataFrame, entities: pl.DataFrame, keywords: pl.DataFrame, *, params: MaskParams
) -> pl.DataFrame:
    """Hide every keyword of a statement behind the mask, and judge its contexts and its masks."""
    kept = statements.filter(pl.col("verdict") == Verdict.KEPT).select("statement_id", "text")
    labels, spans = _labels(entities), _spans(keywords)
    is_situated = pl.col("statement_id").is_in([*labels, *spans])
    rows = [
        _row(statement_id, text, labels.get(statement_id, []), spans.get(statement_id, []), params)
        for statement_id, text in kept.filter(is_situated).iter_rows()
    ]
    return pl.concat([MASKS.frame(rows), _bare(kept.filter(~is_situated), params)]).sort(MASKS.key)


def _labels(entities: pl.DataFrame) -> dict[str, list[Label]]:
    """The labels of the places and times of each statement that names any."""
    labels: dict[str, list[Label]] = {}
    found = entities.filter(pl.col("label").is_in(GEO_LABELS | TEMP_LABELS)).select("statement_id", "label")
    for statement_id, label in found.iter_rows():
        labels.setdefault(statement_id, []).append(Label(label))
    return labels


def _spans(keywords: pl.DataFrame) -> dict[str, list[Span]]:
    spans: dict[str, list[Span]] = {}
    ordered = keywords.sort("statement_id", "start").select("statement_id", "start", "end")
    for statement_id, start, end in ordered.iter_rows():
        spans.setdefault(statement_id, []).append(Span(start, end))
    return spans


def _row(
    statement_id: str, text: str, labels: list[Label], spans: list[Span], params: MaskParams
) -> tuple[object, ...]:
    context = context_of(labels)
    verdict = mask_verdict(context, len(spans), params)
    return statement_id, mask(text, spans, params.mask), len(spans), context, verdict


def _bare(kept: pl.DataFrame, params: MaskParams) -> pl.DataFrame:
    """The rows of statements without a keyword, place or time: most of all, and alike but for their texts."""
    alike = MASKS.frame([_row("", "", [], [], params)]).drop("statement_id", "masked_text")
    return kept.rename({"text": "masked_text"}).join(alike, how="cross")
