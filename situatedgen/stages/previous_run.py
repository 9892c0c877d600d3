"""A previous run of a stage with the same code, whose rows an incremental stage reuses."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from situatedgen.params import Params


@dataclass
class PreviousRun:
    """A previous run of a stage: its input tables by name, its params and its result.

    The stage sets `reused_rows` to the number of rows it copied from that result.
    """

    inputs: Mapping[str, pl.DataFrame]
    params: Params
    result: pl.DataFrame
    reused_rows: int = 0
