"""The stage `terms`: the licence under which each statement may be redistributed."""

import polars as pl

from situatedgen.params import TermParams
from situatedgen.rules.licences import hub_licence
from situatedgen.schemas import TERMS
from situatedgen.vocabulary import Verdict


def terms(items: pl.DataFrame, *, params: TermParams) -> pl.DataFrame:  # noqa: ARG001
    """Map the licence of each kept item to its name on dataset hubs."""
    kept = items.filter(pl.col("verdict") == Verdict.KEPT)
    known = {licence: hub_licence(licence) for licence in kept["licence"].unique()}
    named = pl.col("licence").replace_strict(known, return_dtype=pl.String)
    return kept.select(pl.col("item_id").alias("statement_id"), named).sort(TERMS.key)
