"""The configuration `keyword2text`: a line to read and a line to write, as sequence models are trained."""

import polars as pl

from situatedgen.variants.configuration import Configuration, Field, Tables
from situatedgen.vocabulary import Split

KEYWORD_SEPARATOR = ", "
STATEMENT_SEPARATOR = " "
FIELDS = {
    "example_id": Field(pl.String(), "the id of the example"),
    "source": Field(pl.String(), "what a model reads: the keywords, with commas between them"),
    "target": Field(pl.String(), "what it should write: both statements; in train each order has a row of its own"),
    "licences": Field(pl.List(pl.String), "the licences of the statements, in the order of `target`"),
}


def rows(tables: Tables) -> pl.DataFrame:
    """A row an example, and for train a second one with the statements the other way round: either is right."""
    examples = tables["examples"]
    both = [_lines(examples, turned=False), _lines(examples.filter(pl.col("split") == Split.TRAIN), turned=True)]
    return pl.concat(both).sort("example_id", "turned")


def _lines(examples: pl.DataFrame, *, turned: bool) -> pl.DataFrame:
    sides = [pl.col(name) for name in ("statements", "licences") if name in examples.columns]
    ordered = examples.with_columns(side.list.reverse() for side in sides) if turned else examples
    return ordered.with_columns(
        pl.col("keywords").list.join(KEYWORD_SEPARATOR).alias("source"),
        pl.col("statements").list.join(STATEMENT_SEPARATOR).alias("target"),
        pl.lit(turned).alias("turned"),
    )


KEYWORD2TEXT = Configuration(
    name="keyword2text",
    title="lines for sequence-to-sequence training",
    meaning="A line of keywords to read and a line of two sentences to write; train has both orders of each pair.",
    fields=FIELDS,
    rows=rows,
    folder="keyword2text",
)
