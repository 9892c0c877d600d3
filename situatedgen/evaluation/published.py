"""The scores that the paper reports (its Table 3), for comparison: quoted, not measured here."""

import tomllib
from dataclasses import dataclass
from functools import cache

from situatedgen.resources import read_text


@dataclass(frozen=True, slots=True)
class QuotedRow:
    """A row of the paper's table: a system, what is said of it, and its scores by metric."""

    system: str
    note: str
    values: dict[str, float]


@cache
def quoted() -> tuple[QuotedRow, ...]:
    """The rows of the paper's Table 3, people last."""
    table = tomllib.loads(read_text("table3.toml"))
    metrics = table["metrics"]
    return tuple(
        QuotedRow(row["system"], row["note"], dict(zip(metrics, row["scores"], strict=True))) for row in table["row"]
    )
