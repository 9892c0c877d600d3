"""The funnel: every row of every stage by its verdict."""

from collections.abc import Iterator, Mapping

import polars as pl

from situatedgen.report.statistics import FunnelStep
from situatedgen.vocabulary import Verdict

JUDGING = ("shortlist", "judged", "selected")
JUDGED = ("items", "statements", "masks", "candidates", "pairs", *JUDGING, "splits", "judgements")


def funnel(tables: Mapping[str, pl.DataFrame]) -> tuple[FunnelStep, ...]:
    """The verdicts of each stage with their counts, the kept ones first.

    Whether a statement has a context is decided by its entities, though its verdict stands in `masks`.
    """
    return tuple(step for stage in JUDGED for step in _steps(stage, _verdicts(tables[stage])))


def _verdicts(table: pl.DataFrame) -> dict[Verdict, int]:
    counts = dict(table.group_by("verdict").len().iter_rows())
    return {verdict: counts[verdict.value] for verdict in Verdict if verdict.value in counts}


def _steps(stage: str, verdicts: Mapping[Verdict, int]) -> Iterator[FunnelStep]:
    counts = {Verdict.KEPT: 0, **verdicts}
    if stage == "masks":
        without_context = counts.pop(Verdict.NO_CONTEXT, 0)
        yield FunnelStep("entities", Verdict.KEPT, sum(counts.values()))
        if without_context:
            yield FunnelStep("entities", Verdict.NO_CONTEXT, without_context)
    for verdict, rows in counts.items():
        yield FunnelStep(stage, verdict, rows)
