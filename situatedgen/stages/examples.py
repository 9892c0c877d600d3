"""What a reader of the dataset gets: keywords in, two sentences out."""

from collections.abc import Sequence

import polars as pl
import pyarrow as pa

from situatedgen.params import ExampleParams
from situatedgen.rules.shuffling import merged
from situatedgen.schemas import EXAMPLES
from situatedgen.seeds import generator


def examples(
    statements: pl.DataFrame,
    keywords: pl.DataFrame,
    pairs: pl.DataFrame,
    splits: pl.DataFrame,
    *,
    params: ExampleParams,
) -> pl.DataFrame:
    """Write each pair that has a split as shuffled keywords and the two statements to make of them."""
    words = dict(keywords.sort("statement_id", "start").group_by("statement_id").agg("text").iter_rows())
    dealt = _dealt(statements, pairs, splits)
    shuffled = [
        merged(words.get(left, ()), words.get(right, ()), chance=generator(params.seed, "examples", example))
        for example, left, right in dealt.select("example_id", "left_id", "right_id").iter_rows()
    ]
    found = dealt.with_columns(
        _lists("keywords", [keywords for keywords, _ in shuffled], pa.string()),
        _lists("keywords_pos", [positions for _, positions in shuffled], pa.uint32()),
    )
    return found.select(list(EXAMPLES.columns)).sort(EXAMPLES.key)


def _dealt(statements: pl.DataFrame, pairs: pl.DataFrame, splits: pl.DataFrame) -> pl.DataFrame:
    """The pairs that have a split, with their two statements."""
    texts = statements.select("statement_id", "text")
    left, right = (texts.rename({"statement_id": f"{side}_id", "text": side}) for side in ("left", "right"))
    dealt = splits.drop_nulls("split").select("pair_id", "split").join(pairs, on="pair_id")
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


def _lists(name: str, values: Sequence[Sequence[object]], dtype: pa.DataType) -> pl.Series:
    """A column of lists; Polars makes one by way of Arrow in a tenth of the time."""
    return pl.Series(name, pa.array(values, pa.large_list(dtype)))
