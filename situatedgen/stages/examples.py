"""What a reader of the dataset gets: keywords in, two sentences out."""

from functools import partial

import numpy as np
import polars as pl

from situatedgen.params import ExampleParams
from situatedgen.schemas import EXAMPLES
from situatedgen.seeds import draws

DIVIDED = 0.5
"""The least doubt about a pair that half of its judges would not keep."""


def examples(
    terms: pl.DataFrame,
    statements: pl.DataFrame,
    keywords: pl.DataFrame,
    screening: pl.DataFrame,
    judgements: pl.DataFrame,
    *,
    params: ExampleParams,
) -> pl.DataFrame:
    """Write each pair that has a split as shuffled keywords and the two statements to make of them."""
    dealt = _dealt(statements.select("statement_id", "text").join(terms, on="statement_id"), screening, judgements)
    found = dealt.join(_shuffled(dealt, keywords, params.seed), on="example_id", how="left")
    empty = [pl.col(name).fill_null([]) for name in ("keywords", "keywords_pos")]
    return found.with_columns(empty).select(list(EXAMPLES.columns)).sort(EXAMPLES.key)


def _dealt(stated: pl.DataFrame, screening: pl.DataFrame, judgements: pl.DataFrame) -> pl.DataFrame:
    """The pairs that have a split, with their two statements and the licences of these."""
    doubt = pl.when("is_tied").then(pl.max_horizontal("doubt", pl.lit(DIVIDED, pl.Float32))).otherwise("doubt")
    kept = judgements.drop_nulls("split").select("pair_id", "split", "is_tied")
    dealt = kept.join(screening, on="pair_id").with_columns(doubt=doubt, example_id="pair_id")
    used = stated.filter(pl.col("statement_id").is_in(pl.concat([dealt["left_id"], dealt["right_id"]]).implode()))
    for side in ("left", "right"):
        dealt = dealt.join(
            used.select(pl.all().name.prefix(f"{side}_")), left_on=f"{side}_id", right_on=f"{side}_statement_id"
        )
    return dealt.with_columns(
        _both("id").alias("ids"),
        _both("text").alias("statements"),
        _both("licence").alias("licences"),
        statement=pl.concat_str("left_text", "right_text", separator=" "),
    )


def _both(what: str) -> pl.Expr:
    """What a pair has on its left and its right, as a list; Polars puts lists together much more slowly than arrays."""
    return pl.concat_arr(f"left_{what}", f"right_{what}").arr.to_list()


def _shuffled(dealt: pl.DataFrame, keywords: pl.DataFrame, seed: int) -> pl.DataFrame:
    """The keywords of each pair that has any, in an order that comes from the seed and its own id.

    What `rules.shuffling.merged` says of one pair, for all at once.
    """
    ordered = keywords.sort("statement_id", "start").group_by("statement_id", maintain_order=True)
    once = ordered.agg(keywords=pl.col("text").unique(maintain_order=True))
    merged = pl.concat(_given(dealt, once, side) for side in (0, 1)).sort("example", maintain_order=True)
    sizes = np.bincount(merged["example"].to_numpy(), minlength=dealt.height).tolist()
    drawn = b"".join(map(partial(draws, seed), dealt["example_id"], sizes))
    order = pl.Series("order", np.frombuffer(drawn, "<u8"))
    found = merged.with_columns(order).sort("example", "order", maintain_order=True)
    grouped = found.group_by("example", maintain_order=True).agg("keywords", "keywords_pos")
    return grouped.select(dealt["example_id"].gather(grouped["example"]), "keywords", "keywords_pos")


def _given(dealt: pl.DataFrame, once: pl.DataFrame, side: int) -> pl.DataFrame:
    """The keywords that the statements on one side give, with the number of the example."""
    named = dealt.select(statement_id=("left_id", "right_id")[side]).with_row_index("example")
    found = named.join(once, on="statement_id", maintain_order="left").explode("keywords")
    return found.select("example", "keywords", keywords_pos=pl.lit(side, pl.UInt32))
