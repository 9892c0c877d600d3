"""What is left of a statement when its keywords are hidden."""

import polars as pl

from situatedgen.params import MaskParams
from situatedgen.records import Span
from situatedgen.rules.contexts import context_of
from situatedgen.rules.masking import mask, mask_verdict
from situatedgen.schemas import MASKS
from situatedgen.vocabulary import Label, Verdict


def masks(
    statements: pl.DataFrame, entities: pl.DataFrame, keywords: pl.DataFrame, *, params: MaskParams
) -> pl.DataFrame:
    """Hide every keyword of a statement behind the mask, and judge its contexts and its masks."""
    kept = statements.filter(pl.col("verdict") == Verdict.KEPT).select("statement_id", "text")
    labels: dict[str, list[Label]] = {}
    for statement_id, label in entities.select("statement_id", "label").iter_rows():
        labels.setdefault(statement_id, []).append(Label(label))
    spans: dict[str, list[Span]] = {}
    ordered = keywords.sort("statement_id", "start").select("statement_id", "start", "end")
    for statement_id, start, end in ordered.iter_rows():
        spans.setdefault(statement_id, []).append(Span(start, end))
    return MASKS.frame(
        [
            _row(statement_id, text, labels.get(statement_id, []), spans.get(statement_id, []), params)
            for statement_id, text in kept.iter_rows()
        ]
    )


def _row(
    statement_id: str, text: str, labels: list[Label], spans: list[Span], params: MaskParams
) -> tuple[object, ...]:
    context = context_of(labels)
    verdict = mask_verdict(context, len(spans), params)
    return statement_id, mask(text, spans, params.mask), len(spans), context, verdict
