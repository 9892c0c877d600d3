"""Case tables as TOML files in `tests/cases`, which need no Python to edit: each row says why it is there."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[1] / "cases"


@cache
def _read(file: str) -> dict[str, list[dict[str, Any]]]:
    return tomllib.loads((FOLDER / f"{file}.toml").read_text(encoding="utf-8"))


def cases(file: str, table: str, *columns: str) -> list[Any]:
    """The rows of a table as parameters of a test, by columns; a row without a reason is refused."""
    rows = _read(file)[table]
    nameless = [row for row in rows if not str(row.get("why", "")).strip()]
    if nameless:
        raise ValueError(f"{file}.toml, {table}: a row has no `why`: {nameless[0]}")
    return [pytest.param(*(row[column] for column in columns), id=f"{table}: {row['why']}") for row in rows]
