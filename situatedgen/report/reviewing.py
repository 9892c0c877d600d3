"""What people decided about a dataset, counted."""

from collections import Counter
from collections.abc import Mapping

import polars as pl

from situatedgen.report.statistics import FaultCount, Review
from situatedgen.review.criteria import CRITERIA
from situatedgen.schemas import DECISIONS, JUDGEMENTS
from situatedgen.stages.judgements import contents
from situatedgen.vocabulary import Verdict


def review(tables: Mapping[str, pl.DataFrame]) -> Review | None:
    """What became of the pairs that people judged; nothing where there are no decisions."""
    decisions = tables.get("decisions", DECISIONS.empty)
    if decisions.is_empty():
        return None
    judgements = tables.get("judgements", JUDGEMENTS.empty)
    out = judgements.filter(pl.col("verdict") == Verdict.JUDGED_INVALID)
    pairs, found = decisions["pair"].n_unique(), _found(decisions, tables)
    return Review(
        decisions=decisions.height,
        people=decisions["annotator"].n_unique(),
        pairs=pairs,
        absent=pairs - found,
        dropped=out.height,
        tied=int(judgements["is_tied"].sum()),
        faults=_faults(out),
    )


def _found(decisions: pl.DataFrame, tables: Mapping[str, pl.DataFrame]) -> int:
    """How many of the pairs that were judged stand in the splits of this dataset."""
    dealt = tables["splits"].drop_nulls("split")
    there = contents(dealt, tables["statements"], tables["selected"], decisions)
    return len({content.key for _, content in there} & set(decisions["pair"]))


def _faults(out: pl.DataFrame) -> tuple[FaultCount, ...]:
    counts = Counter(out["faults"].explode().drop_nulls())
    return tuple(FaultCount(name, counts[name]) for name in CRITERIA if counts[name])
