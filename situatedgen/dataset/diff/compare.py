"""Compare two datasets: added, removed, changed and moved examples, each with a reason."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from situatedgen.dataset.diff.reasons import (
    CHANGES,
    Kind,
    Reason,
    Side,
    absences,
    by_field,
    changes,
    shared_examples,
    with_first,
    with_moves,
)

STAGE_OF = dict(enumerate(CHANGES))
DIFFERENCES: dict[str, pl.DataType] = {
    "kind": pl.Enum([kind.value for kind in Kind]),
    "example_id": pl.String(),
    "old_split": pl.String(),
    "new_split": pl.String(),
    "fields": pl.List(pl.String),
    "stage": pl.String(),
    "reason": pl.String(),
    "change": pl.String(),
    "statement_ids": pl.List(pl.String),
    "old_similarity": pl.Float64(),
    "new_similarity": pl.Float64(),
}
GROUP = ("kind", "stage", "reason", "change")


@dataclass(frozen=True)
class Differences:
    """The differences, one row per example and kind, and the number of unchanged examples.

    `stage` and `reason` say where and why an example differs; `change` is an earlier change to its statements, if
    any; `statement_ids` are the affected ones of its two statements.
    """

    rows: pl.DataFrame
    unchanged: int

    @property
    def counts(self) -> pl.DataFrame:
        """Number of examples by kind and reason, the most common first."""
        counted = self.rows.group_by(GROUP).len("examples")
        return counted.sort(*GROUP).sort("kind", -pl.col("examples").cast(pl.Int64), maintain_order=True)

    def of(self, group: Mapping[str, object]) -> pl.DataFrame:
        """The rows of one group of `counts`."""
        return self.rows.filter(pl.col(name).eq_missing(pl.lit(group[name])) for name in GROUP)


def differences(old: Side, new: Side) -> Differences:
    """Compare the new side with the old one, matching examples by id."""
    both = shared_examples(old, new)
    changed, moved = pl.col("fields").list.len() > 0, pl.col("split") != pl.col("split_new")
    altered = _changed_rows(both.filter(changed), old, new)
    parts = {
        Kind.ADDED: _rename_columns(absences(new, old), here="new", there="old"),
        Kind.REMOVED: _rename_columns(absences(old, new), here="old", there="new"),
        Kind.CHANGED: altered,
        Kind.MOVED: _moved_rows(both.filter(moved), altered, old, new),
    }
    rows = pl.concat(_to_schema(part, kind) for kind, part in parts.items())
    return Differences(rows.sort("kind", "example_id"), both.filter(~changed & ~moved).height)


def _rename_columns(lost: pl.DataFrame, *, here: str, there: str) -> pl.DataFrame:
    return lost.rename({"split": f"{here}_split", "similarity": f"{here}_similarity", "there": f"{there}_similarity"})


def _changed_rows(rows: pl.DataFrame, old: Side, new: Side) -> pl.DataFrame:
    """The examples whose fields differ, with the first stage at which one of their statements differs."""
    explained = with_first(rows, changes(rows, old.tables, new.tables), prefix="change")
    stage, reason = by_field(with_tables=bool(old.tables and new.tables))
    first = pl.col("change_rank").replace_strict(STAGE_OF, default=None, return_dtype=pl.String)
    return _rename_both(explained).with_columns(
        stage=pl.coalesce(first, stage), reason=pl.coalesce("change_reason", reason), statement_ids="change_ids"
    )


def _moved_rows(rows: pl.DataFrame, altered: pl.DataFrame, old: Side, new: Side) -> pl.DataFrame:
    """The examples that changed split; if an id now denotes another pair, that is the only reason given."""
    renumbered = altered.filter(pl.col("reason") == Reason.RENUMBERED.value)["example_id"].to_list()
    other = pl.when(pl.col("example_id").is_in(renumbered))
    explained = with_moves(rows.drop("fields"), old.tables, new.tables)
    return _rename_both(explained).with_columns(
        stage=other.then(pl.lit("items")).otherwise("stage"),
        reason=other.then(pl.lit(Reason.RENUMBERED.value)).otherwise("reason"),
    )


def _rename_both(rows: pl.DataFrame) -> pl.DataFrame:
    names = {"split": "old_split", "similarity": "old_similarity"}
    return rows.rename(names | {"split_new": "new_split", "similarity_new": "new_similarity"})


def _to_schema(rows: pl.DataFrame, kind: Kind) -> pl.DataFrame:
    """Convert rows to the common schema; columns that their kind lacks are null."""
    known = rows.with_columns(kind=pl.lit(kind.value))
    columns = (
        (pl.col(name) if name in known.columns else pl.lit(None).alias(name)).cast(dtype)
        for name, dtype in DIFFERENCES.items()
    )
    return known.select(*columns)
