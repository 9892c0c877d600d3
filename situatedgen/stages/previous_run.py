"""The previous run of a stage by the same code, from which an incremental stage starts."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from situatedgen.params import Params


@dataclass
class PreviousRun:
    """An earlier run of a stage: its input tables by name, its params, and the table that it made.

    The stage writes down how many rows of that table it took over.
    """

    inputs: Mapping[str, pl.DataFrame]
    params: Params
    result: pl.DataFrame
    reused_rows: int = 0
