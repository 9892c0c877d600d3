"""Differences as plain values, and as the short lines that a person reads."""

from collections.abc import Iterator, Mapping

import polars as pl

from situatedgen.dataset.diff.compare import Differences
from situatedgen.dataset.diff.reasons import Kind, Side, differ

Row = dict[str, object]


def as_values(differences: Differences, old: Side, new: Side) -> dict[str, list[Row]]:
    """Every difference by kind, without what is not told; what changed with its old and its new value."""
    rows: dict[str, list[Row]] = {kind.value: [] for kind in Kind}
    values = _values(differences, old), _values(differences, new)
    for row in differences.rows.iter_rows(named=True):
        told = {name: value for name, value in row.items() if name != "kind" and value not in (None, [])}
        if row["kind"] == Kind.CHANGED:
            told["fields"] = dict(_changes(row, *values))
        rows[row["kind"]].append(told)
    return rows


def format_lines(rows: pl.DataFrame) -> list[str]:
    """A line a difference."""
    return [_line(row) for row in rows.with_columns(measured=_measured()).iter_rows(named=True)]


def _values(differences: Differences, side: Side) -> dict[str, Row]:
    changed = differences.rows.filter(pl.col("kind") == Kind.CHANGED.value)
    rows = side.examples.join(changed, on="example_id", how="semi")
    return {row["example_id"]: row for row in rows.iter_rows(named=True)}


def _changes(row: Mapping[str, object], *values: Mapping[str, Row]) -> Iterator[tuple[str, Row]]:
    """The fields that differ; another order shows in the keywords."""
    fields = row["fields"]
    for field in fields if isinstance(fields, list) else ():
        column = "keywords" if field == "order" else field
        before, after = (known[str(row["example_id"])][column] for known in values)
        yield field, {"old": before, "new": after}


def _measured() -> pl.Expr:
    """The similarities of a row where they differ, or where they decided."""
    before, after = pl.col("old_similarity"), pl.col("new_similarity")
    decided = differ(before, after) | pl.col("reason").is_in(["too_dissimilar", "below_floor"])
    shown = [similarity.round(4).cast(pl.String).str.pad_end(6, "0") for similarity in (before, after)]
    return pl.when(decided).then(pl.concat_str(shown, separator=" → "))


def _line(row: Row) -> str:
    """The example, with the one of its statements that it is due to, and what went from what to what."""
    ids = row["statement_ids"]
    half = ids[0] if isinstance(ids, list) and len(ids) == 1 else None
    split = f"{row['old_split']} → {row['new_split']}" if row["kind"] == Kind.MOVED else None
    told = [str(part) for part in (half, split, row["measured"]) if part]
    return f"{row['example_id']} ({', '.join(told)})" if told else str(row["example_id"])
