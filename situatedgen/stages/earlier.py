"""What a stage may start from: an earlier run of the same code."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from situatedgen.params import Params


@dataclass(frozen=True)
class Earlier:
    """An earlier run of a stage: its input tables by name, its params, and the table that it made."""

    inputs: Mapping[str, pl.DataFrame]
    params: Params
    result: pl.DataFrame
