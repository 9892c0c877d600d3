"""The first stage at which what is known of a statement differs between two datasets."""

import polars as pl

from situatedgen.report.differences.halves import BEFELL, first_of, statement_ids
from situatedgen.report.differences.renumbering import RECORD, as_text, renumbered
from situatedgen.report.differences.sides import Tables
from situatedgen.report.differences.words import Reason

CHANGES = {
    "items": Reason.EDITED,
    "statements": Reason.WORDED_OTHERWISE,
    "entities": Reason.TAGGED_OTHERWISE,
    "keywords": Reason.OTHER_KEYWORDS,
    "masks": Reason.MASKED_OTHERWISE,
}
KNOWN: dict[str, tuple[str, ...]] = {
    "items": RECORD,
    "statements": ("text",),
    "entities": ("start", "end", "label"),
    "keywords": ("start", "end", "kind"),
    "masks": ("masked_text", "context", "verdict"),
}


def changes(pairs: pl.DataFrame, old: Tables, new: Tables) -> pl.DataFrame:
    """What befell each statement of some pairs first between two datasets; nothing where a side has no tables."""
    if not old or not new:
        return pl.DataFrame(schema=BEFELL)
    ids = statement_ids(pairs)
    for stage in CHANGES:
        ids = _with_difference(ids, stage, old, new)
    reasons = {stage: pl.when(pl.col(stage)).then(pl.lit(change.value)) for stage, change in CHANGES.items()}
    found = first_of(ids, reasons)
    moved = renumbered(found.filter(pl.col("rank") == 0), old["items"], new["items"])
    other = pl.col("statement_id").is_in(moved.to_list())
    reason = pl.when(other).then(pl.lit(Reason.RENUMBERED.value)).otherwise(pl.col("reason"))
    return found.with_columns(reason=reason)


def _with_difference(ids: pl.DataFrame, stage: str, old: Tables, new: Tables) -> pl.DataFrame:
    """The ids, with whether a stage says something else of them; one and the same table says the same."""
    if old[stage] is new[stage]:
        return ids.with_columns(pl.lit(value=False).alias(stage))
    both = ids.join(_known(old[stage], stage, ids), on="statement_id", how="left").join(
        _known(new[stage], stage, ids), on="statement_id", how="left", suffix="_new"
    )
    return both.with_columns(pl.col("known").ne_missing(pl.col("known_new")).alias(stage)).drop("known", "known_new")


def _known(table: pl.DataFrame, stage: str, ids: pl.DataFrame) -> pl.DataFrame:
    """All that a stage says of each statement, as one text."""
    key = "item_id" if stage == "items" else "statement_id"
    rows = table.rename({key: "statement_id"}).join(ids, on="statement_id", how="semi", maintain_order="left")
    told = rows.select("statement_id", as_text(KNOWN[stage]).alias("known"))
    return told.group_by("statement_id", maintain_order=True).agg(pl.col("known").str.join("\x1e"))
