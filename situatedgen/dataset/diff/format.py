"""Format differences as plain values (for JSON) and as short lines (for people)."""

from collections.abc import Iterator, Mapping

import polars as pl

from situatedgen.dataset.diff.compare import Differences
from situatedgen.dataset.diff.reasons import Kind, Side, differ

Row = dict[str, object]


def as_values(differences: Differences, old: Side, new: Side) -> dict[str, list[Row]]:
    """All differences by kind, without empty fields; changed fields have their old and new values."""
    rows: dict[str, list[Row]] = {kind.value: [] for kind in Kind}
    values = _changed_examples(differences, old), _changed_examples(differences, new)
    for row in differences.rows.iter_rows(named=True):
        details = {name: value for name, value in row.items() if name != "kind" and value not in (None, [])}
        if row["kind"] == Kind.CHANGED:
            details["fields"] = dict(_changes(row, *values))
        rows[row["kind"]].append(details)
    return rows


def format_lines(rows: pl.DataFrame) -> list[str]:
    """One line per difference."""
    return [_format_line(row) for row in rows.with_columns(measured=_format_similarities()).iter_rows(named=True)]


def _changed_examples(differences: Differences, side: Side) -> dict[str, Row]:
    changed = differences.rows.filter(pl.col("kind") == Kind.CHANGED.value)
    rows = side.examples.join(changed, on="example_id", how="semi")
    return {row["example_id"]: row for row in rows.iter_rows(named=True)}


def _changes(row: Mapping[str, object], *values: Mapping[str, Row]) -> Iterator[tuple[str, Row]]:
    """Yield the fields that differ with old and new values; a changed order is shown by the keywords."""
    fields = row["fields"]
    for field in fields if isinstance(fields, list) else ():
        column = "keywords" if field == "order" else field
        before, after = (known[str(row["example_id"])][column] for known in values)
        yield field, {"old": before, "new": after}


def _format_similarities() -> pl.Expr:
    """The old and new similarity of a row, if they differ or were the reason for the difference."""
    before, after = pl.col("old_similarity"), pl.col("new_similarity")
    decided = differ(before, after) | pl.col("reason").is_in(["too_dissimilar", "below_floor"])
    shown = [similarity.round(4).cast(pl.String).str.pad_end(6, "0") for similarity in (before, after)]
    return pl.when(decided).then(pl.concat_str(shown, separator=" → "))


def _format_line(row: Row) -> str:
    """Format an example with the statement that caused the difference, and its old and new split and similarity."""
    ids = row["statement_ids"]
    half = ids[0] if isinstance(ids, list) and len(ids) == 1 else None
    split = f"{row['old_split']} → {row['new_split']}" if row["kind"] == Kind.MOVED else None
    values = [str(part) for part in (half, split, row["measured"]) if part]
    return f"{row['example_id']} ({', '.join(values)})" if values else str(row["example_id"])
