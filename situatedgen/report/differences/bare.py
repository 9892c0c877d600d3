"""What two dataset folders tell of their differences by themselves, without the tables they were made from."""

import polars as pl

from situatedgen.report.differences.sides import FIELDS
from situatedgen.report.differences.words import Reason

BY_FIELD = dict(
    zip(
        FIELDS,
        (
            ("statements", Reason.WORDED_OTHERWISE),
            ("keywords", Reason.OTHER_KEYWORDS),
            ("masks", Reason.MASKED_OTHERWISE),
            ("embeddings", Reason.ENCODED_OTHERWISE),
            ("examples", Reason.SHUFFLED_OTHERWISE),
        ),
        strict=True,
    )
)


def with_absence(pairs: pl.DataFrame, there: pl.DataFrame) -> pl.DataFrame:
    """The examples that the other side lacks, with whether it has their statements in other examples."""
    ids = pl.concat([there["left_id"], there["right_id"]]).unique().to_list()
    out = [pl.when(~pl.col(name).is_in(ids)).then(pl.col(name)) for name in ("left_id", "right_id")]
    found = pairs.with_columns(fate_ids=pl.concat_list(out).list.drop_nulls())
    is_out = pl.col("fate_ids").list.len() > 0
    reason = pl.when(is_out).then(pl.lit(Reason.STATEMENT_OUT.value)).otherwise(pl.lit(Reason.PAIR_OUT.value))
    return found.with_columns(stage=pl.lit("examples"), reason=reason, there=pl.lit(None, pl.Float64))


def by_field(*, with_tables: bool) -> tuple[pl.Expr, pl.Expr]:
    """The stage and the reason of a change of which no statement's row tells, by the first field that differs.

    Where the tables are there and agree, other words or contexts can only have been put into the data files.
    """
    edited = ("statements", "keywords", "context") if with_tables else ()
    told = BY_FIELD | dict.fromkeys(edited, ("examples", Reason.ALTERED))
    return _first({name: stage for name, (stage, _) in told.items()}), _first(
        {name: reason.value for name, (_, reason) in told.items()}
    )


def _first(told: dict[str, str]) -> pl.Expr:
    return pl.col("fields").list.get(0, null_on_oob=True).replace_strict(told, default=None, return_dtype=pl.String)
