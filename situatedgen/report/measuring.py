"""Measures a dataset: tables in, statistics out."""

from collections.abc import Mapping, Sequence

import polars as pl

from situatedgen.leakage.built import comparison
from situatedgen.params import SplitParams
from situatedgen.report.funnel import funnel
from situatedgen.report.graph import graph, leakage
from situatedgen.report.reviewing import review
from situatedgen.report.sizes import context_counts, keyword_counts, similarity_bins, split_counts
from situatedgen.report.sources import source_counts, total
from situatedgen.report.stability import stability
from situatedgen.report.statistics import Statistics
from situatedgen.report.validity import validity
from situatedgen.rules.validity import Labelled


def measured(
    tables: Mapping[str, pl.DataFrame], dealt: SplitParams | None = None, held_back: Sequence[Labelled] = ()
) -> Statistics:
    """Everything that is told of a dataset, from the tables of its stages.

    Its leakage certificate is made only where it is said how communities were `dealt`. The readings `held_back` from
    the judge's training correct what it expects.
    """
    items, statements, masks = tables["items"], tables["statements"], tables["masks"]
    splits, examples = tables["splits"], tables["examples"]
    sources = source_counts(items, statements, masks)
    certificate = comparison(tables, dealt) if dealt else None
    return Statistics(
        sources=sources,
        all_sources=total(sources),
        splits=split_counts(examples),
        funnel=funnel(tables),
        contexts=context_counts(examples),
        keywords=keyword_counts(examples),
        graph=graph(tables["communities"], splits),
        leakage=leakage(splits, masks, statements),
        similarities=similarity_bins(tables["pairs"]),
        stability=stability(tables),
        certificate=certificate,
        review=review(tables),
        validity=validity(tables, held_back),
    )
