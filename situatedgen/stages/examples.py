"""What a reader of the dataset gets: keywords in, two sentences out."""

import polars as pl

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
    texts = dict(statements.select("statement_id", "text").iter_rows())
    words: dict[str, list[str]] = {}
    for statement_id, word in keywords.sort("statement_id", "start").select("statement_id", "text").iter_rows():
        words.setdefault(statement_id, []).append(word)
    dealt = splits.drop_nulls("split").select("pair_id", "split").join(pairs, on="pair_id")
    rows = dealt.select("pair_id", "split", "left_id", "right_id", "context", "similarity").iter_rows()
    return EXAMPLES.frame([_example(*row, texts=texts, words=words, seed=params.seed) for row in rows])


def _example(
    pair_id: str,
    split: str,
    left_id: str,
    right_id: str,
    context: str,
    similarity: float,
    *,
    texts: dict[str, str],
    words: dict[str, list[str]],
    seed: int,
) -> tuple[object, ...]:
    """One row of the table; its shuffle comes from the seed and its own id."""
    found, positions = merged(
        words.get(left_id, ()), words.get(right_id, ()), chance=generator(seed, "examples", pair_id)
    )
    sentences = [texts[left_id], texts[right_id]]
    ids = [left_id, right_id]
    return (pair_id, split, found, " ".join(sentences), ids, positions, sentences, context, similarity)
