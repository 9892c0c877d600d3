"""What the authors of CommonGen report, for comparison: quoted, not measured here."""

import tomllib
from functools import cache
from typing import Any

from situatedgen.resources import read_text


@cache
def published() -> dict[str, Any]:  # Any: numbers and tables of them, as the file has them
    """All published numbers, by table."""
    return tomllib.loads(read_text("commongen.toml"))


def table1(split: str, row: str) -> float | None:
    """A number of Table 1; nothing where the table has none."""
    value: float | None = published()["table1"].get(split, {}).get(row)
    return value
