"""What a reader of the dataset gets: keywords in, two sentences out."""

from functools import partial

import polars as pl

from situatedgen.params import ExampleParams
from situatedgen.rules.keywords import merge_keywords
from situatedgen.schemas import EXAMPLES
from situatedgen.seeds import order

DIVIDED = 0.5
"""How probably a pair is valid, at most, that half of the people who judged it would not keep."""


def examples(
    terms: pl.DataFrame,
    statements: pl.DataFrame,
    keywords: pl.DataFrame,
    selected: pl.DataFrame,
    judgements: pl.DataFrame,
    *,
    params: ExampleParams,
) -> pl.DataFrame:
    """Write each pair that has a split as shuffled keywords and the two statements to make of them."""
    dealt = _dealt(statements.select("statement_id", "text").join(terms, on="statement_id"), selected, judgements)
    return _shuffled(dealt, keywords, params.seed).select(list(EXAMPLES.columns)).sort(EXAMPLES.key)


def _dealt(stated: pl.DataFrame, selected: pl.DataFrame, judgements: pl.DataFrame) -> pl.DataFrame:
    """The pairs that have a split, with their two statements and the licences of these."""
    divided = pl.min_horizontal("probability", pl.lit(DIVIDED, pl.Float32))
    probability = pl.when("is_tied").then(divided).otherwise("probability")
    kept = judgements.drop_nulls("split").select("pair_id", "split", "is_tied")
    dealt = kept.join(selected, on="pair_id").with_columns(probability=probability, example_id="pair_id")
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
    """The keywords of each pair, in an order that comes from the seed and its own id."""
    ordered = keywords.sort("statement_id", "start").group_by("statement_id", maintain_order=True).agg("text")
    words: dict[str, list[str]] = dict(ordered.iter_rows())
    found = [
        merge_keywords(words.get(left, ()), words.get(right, ()), order=partial(order, seed, example_id))
        for example_id, left, right in dealt.select("example_id", "left_id", "right_id").iter_rows()
    ]
    return dealt.with_columns(
        pl.Series("keywords", [each for each, _ in found], pl.List(pl.String)),
        pl.Series("keywords_pos", [sides for _, sides in found], pl.List(pl.UInt32)),
    )
