"""The configuration `default`: keywords in, two sentences out, as the authors released it."""

import polars as pl

from situatedgen.variants.configuration import Configuration, Field, Tables

DECIMALS = 6
TEXTS = pl.List(pl.String)
FIELDS = {
    "keywords": Field(TEXTS, "the input: the keywords of both statements, shuffled; one of both stands twice"),
    "statement": Field(pl.String(), "the output: both statements, joined by a space"),
    "ids": Field(TEXTS, "the ids of the two statements: source, part, and zero-based index in the source file"),
    "keywords_pos": Field(pl.List(pl.Int64), "for each keyword, which statement it came from: 0 or 1"),
    "statements": Field(TEXTS, "the two statements; either order is a right answer"),
    "example_id": Field(pl.String(), "the id of the example"),
    "context": Field(pl.String(), "what the statements share: places (`GEO`), times (`TEMP`), or both (`GEO & TEMP`)"),
    "similarity": Field(pl.Float64(), "cosine similarity of the two statements with their keywords masked"),
    "probability": Field(pl.Float64(), "how probable the judge finds it that the pair is valid; null without a judge"),
    "licences": Field(TEXTS, "the licences of the two statements' sources, in the order of `ids`"),
}


def rows(tables: Tables) -> pl.DataFrame:
    """The examples, the authors' fields first, plain types, by example id."""
    examples = tables["examples"].sort("example_id")
    return examples.with_columns(pl.col("similarity", "probability").cast(pl.Float64).round(DECIMALS))


PAIRS = Configuration(
    name="default",
    title="keywords to two contrastive sentences",
    meaning="Keywords go in, two contrastive sentences come out.",
    fields=FIELDS,
    rows=rows,
    folder="data",
)
