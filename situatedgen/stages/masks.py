"""The stage `masks`: each statement with its keywords replaced by the mask."""

from collections.abc import Sequence

import polars as pl

from situatedgen.params import MaskParams
from situatedgen.records import Span
from situatedgen.rules.keywords import context_of, mask, mask_verdict
from situatedgen.schemas import MASKS
from situatedgen.vocabulary import Label, Verdict


def masks(
    statements: pl.DataFrame, entities: pl.DataFrame, keywords: pl.DataFrame, *, params: MaskParams
) -> pl.DataFrame:
    """Replace every keyword of a statement with the mask, and check its context and number of masks."""
    kept = statements.filter(pl.col("verdict") == Verdict.KEPT).select("statement_id", "text")
    spans = keywords.sort("statement_id", "start").group_by("statement_id", maintain_order=True).agg("start", "end")
    labels = entities.group_by("statement_id").agg("label")
    known = kept.join(spans, on="statement_id", how="left").join(labels, on="statement_id", how="left")
    return MASKS.frame(
        [
            (statement_id, *_mask_statement(text, list(map(Span, starts or (), ends or ())), named or (), params))
            for statement_id, text, starts, ends, named in known.iter_rows()
        ]
    )


def _mask_statement(text: str, spans: Sequence[Span], labels: Sequence[str], params: MaskParams) -> tuple[object, ...]:
    """The masked text of one statement, the number of its masks, its context and its verdict."""
    context = context_of(map(Label, labels))
    return mask(text, spans, params.mask), len(spans), context, mask_verdict(context, len(spans), params)
