"""The stage `examples`: the published records, with keywords as input and two sentences as output."""

from functools import partial

import polars as pl

from situatedgen.params import ExampleParams
from situatedgen.rules.keywords import merge_keywords
from situatedgen.schemas import EXAMPLES
from situatedgen.seeds import order

TIED = 0.5
"""Upper limit for the probability of a pair on which the annotators were tied."""


def examples(
    terms: pl.DataFrame,
    statements: pl.DataFrame,
    keywords: pl.DataFrame,
    selected: pl.DataFrame,
    judgements: pl.DataFrame,
    *,
    params: ExampleParams,
) -> pl.DataFrame:
    """Turn each pair with a split into an example: shuffled keywords as input, the two statements as output."""
    assigned = _with_statements(
        statements.select("statement_id", "text").join(terms, on="statement_id"), selected, judgements
    )
    return _with_keywords(assigned, keywords, params.seed).select(list(EXAMPLES.columns)).sort(EXAMPLES.key)


def _with_statements(stated: pl.DataFrame, selected: pl.DataFrame, judgements: pl.DataFrame) -> pl.DataFrame:
    """The pairs that have a split, with the texts and licences of their two statements."""
    divided = pl.min_horizontal("probability", pl.lit(TIED, pl.Float32))
    probability = pl.when("is_tied").then(divided).otherwise("probability")
    kept = judgements.drop_nulls("split").select("pair_id", "split", "is_tied")
    assigned = kept.join(selected, on="pair_id").with_columns(probability=probability, example_id="pair_id")
    used = stated.filter(pl.col("statement_id").is_in(pl.concat([assigned["left_id"], assigned["right_id"]]).implode()))
    for side in ("left", "right"):
        assigned = assigned.join(
            used.select(pl.all().name.prefix(f"{side}_")), left_on=f"{side}_id", right_on=f"{side}_statement_id"
        )
    return assigned.with_columns(
        _left_and_right("id").alias("ids"),
        _left_and_right("text").alias("statements"),
        _left_and_right("licence").alias("licences"),
        statement=pl.concat_str("left_text", "right_text", separator=" "),
    )


def _left_and_right(what: str) -> pl.Expr:
    """A list of a pair's left and right value, built as an array because Polars concatenates lists much more slowly."""
    return pl.concat_arr(f"left_{what}", f"right_{what}").arr.to_list()


def _with_keywords(assigned: pl.DataFrame, keywords: pl.DataFrame, seed: int) -> pl.DataFrame:
    """Add the keywords of each pair, in an order that depends only on the seed and the pair's id."""
    ordered = keywords.sort("statement_id", "start").group_by("statement_id", maintain_order=True).agg("text")
    words: dict[str, list[str]] = dict(ordered.iter_rows())
    found = [
        merge_keywords(words.get(left, ()), words.get(right, ()), order=partial(order, seed, example_id))
        for example_id, left, right in assigned.select("example_id", "left_id", "right_id").iter_rows()
    ]
    return assigned.with_columns(
        pl.Series("keywords", [each for each, _ in found], pl.List(pl.String)),
        pl.Series("keywords_pos", [sides for _, sides in found], pl.List(pl.UInt32)),
    )
