"""What screening found: how many pairs fail each check."""

import polars as pl

from situatedgen.report.statistics import CheckCount
from situatedgen.vocabulary import CHECKS

DECIMALS = 6


def check_counts(screening: pl.DataFrame) -> tuple[CheckCount, ...]:
    """How many of the pairs fail each check, in the order of the checks."""
    counts = dict(screening.select(pl.col("flags").explode().drop_nulls()).to_series().value_counts().iter_rows())
    total = max(screening.height, 1)
    return tuple(CheckCount(name, counts.get(name, 0), round(counts.get(name, 0) / total, DECIMALS)) for name in CHECKS)
