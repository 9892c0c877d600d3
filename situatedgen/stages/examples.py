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
    dealt = _licensed(_dealt(statements, screening, judgements), terms)
    found = dealt.join(_shuffled(dealt, keywords, params.seed), on="example_id", how="left")
    empty = [pl.col(name).fill_null([]) for name in ("keywords", "keywords_pos")]
    return found.with_columns(empty).select(list(EXAMPLES.columns)).sort(EXAMPLES.key)


def _dealt(statements: pl.DataFrame, screening: pl.DataFrame, judgements: pl.DataFrame) -> pl.DataFrame:
    """The pairs that have a split, with their two statements."""
    texts = statements.select("statement_id", "text")
    left, right = (texts.rename({"statement_id": f"{side}_id", "text": side}) for side in ("left", "right"))
    doubt = pl.when("is_tied").then(pl.max_horizontal("doubt", pl.lit(DIVIDED, pl.Float32))).otherwise("doubt")
    kept = judgements.drop_nulls("split").select("pair_id", "split", "is_tied")
    dealt = kept.join(screening, on="pair_id").with_columns(doubt=doubt)
    return (
        dealt.join(left, on="left_id")
        .join(right, on="right_id")
        .with_columns(
            pl.col("pair_id").alias("example_id"),
            pl.concat_str("left", "right", separator=" ").alias("statement"),
            pl.concat_list("left_id", "right_id").alias("ids"),
            pl.concat_list("left", "right").alias("statements"),
        )
    )


def _licensed(dealt: pl.DataFrame, terms: pl.DataFrame) -> pl.DataFrame:
    """The pairs with the licences of their two statements."""
    for side in ("left", "right"):
        named = {"statement_id": f"{side}_id", "licence": f"{side}_licence"}
        dealt = dealt.join(terms.rename(named), on=f"{side}_id")
    return dealt.with_columns(licences=pl.concat_list("left_licence", "right_licence"))


def _shuffled(dealt: pl.DataFrame, keywords: pl.DataFrame, seed: int) -> pl.DataFrame:
    """The keywords of each pair that has any, in an order that comes from the seed and its own id.

    What `rules.shuffling.merged` says of one pair, for all at once.
    """
    merged = pl.concat(_given(dealt, keywords, side) for side in (0, 1)).sort("example", maintain_order=True)
    sizes = np.bincount(merged["example"].to_numpy(), minlength=dealt.height).tolist()
    drawn = b"".join(map(partial(draws, seed), dealt["example_id"], sizes))
    order = pl.Series("order", np.frombuffer(drawn, "<u8"))
    found = merged.with_columns(order).sort("example", "order", maintain_order=True)
    grouped = found.group_by("example", maintain_order=True).agg("keywords", "keywords_pos")
    return grouped.select(dealt["example_id"].gather(grouped["example"]), "keywords", "keywords_pos")


def _given(dealt: pl.DataFrame, keywords: pl.DataFrame, side: int) -> pl.DataFrame:
    """The keywords that the statements on one side give, each once, with the number of the example."""
    once = keywords.sort("statement_id", "start").unique(["statement_id", "text"], keep="first", maintain_order=True)
    named = dealt.select(statement_id=("left_id", "right_id")[side]).with_row_index("example")
    found = named.join(once.select("statement_id", keywords="text"), on="statement_id", maintain_order="left_right")
    return found.select("example", "keywords", keywords_pos=pl.lit(side, pl.UInt32))
