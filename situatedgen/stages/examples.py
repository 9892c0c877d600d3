"""What a reader of the dataset gets: keywords in, two sentences out."""

from collections.abc import Mapping, Sequence
from functools import partial

import polars as pl

from situatedgen.params import ExampleParams
from situatedgen.rules.shuffling import merged
from situatedgen.schemas import EXAMPLES
from situatedgen.seeds import order

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
    words = dict(keywords.sort("statement_id", "start").group_by("statement_id").agg("text").iter_rows())
    dealt = _licensed(_dealt(statements, screening, judgements), terms)
    found = dealt.join(_shuffled(dealt, words, params.seed), on="example_id", how="left")
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


def _shuffled(dealt: pl.DataFrame, words: Mapping[str, Sequence[str]], seed: int) -> pl.DataFrame:
    """The keywords of each pair that has any, in an order that comes from the seed and its own id."""
    rows: list[tuple[str, str, int]] = []
    for example, left, right in dealt.select("example_id", "left_id", "right_id").iter_rows():
        found, positions = merged(words.get(left, ()), words.get(right, ()), order=partial(order, seed, example))
        rows.extend((example, keyword, position) for keyword, position in zip(found, positions, strict=True))
    schema = {"example_id": pl.String, "keywords": pl.String, "keywords_pos": pl.UInt32}
    flat = pl.DataFrame(rows, schema=schema, orient="row")
    return flat.group_by("example_id", maintain_order=True).agg(pl.all())
