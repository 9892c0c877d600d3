"""The configuration `choice`: four pairs of sentences made of the same keywords, of which one is true."""

import polars as pl

from situatedgen.variants.configuration import Configuration, Field, Tables

TEXTS = pl.List(pl.String)
FIELDS = {
    "example_id": Field(pl.String(), "the id of the example whose statements are the right answer"),
    "keywords": Field(TEXTS, "the keywords that all answers are made of"),
    "choices": Field(TEXTS, "pairs of sentences, of which one is true"),
    "label": Field(pl.Int64(), "the place of the right one, from 0"),
    "context": Field(pl.String(), "the contexts that the two statements share"),
    "ids": Field(TEXTS, "the ids of the two statements"),
    "licences": Field(TEXTS, "their licences, in the same order"),
}


def rows(tables: Tables) -> pl.DataFrame:
    """The questions that a filter made, by the id of their example."""
    return tables["choice"].sort("example_id")


CHOICE = Configuration(
    name="choice",
    title="multiple choice",
    meaning="Four pairs of sentences made of the same keywords, of which one is true; the wrong ones were filtered.",
    fields=FIELDS,
    rows=rows,
    folder="choice",
)
