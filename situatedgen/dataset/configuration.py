"""Dataset configurations, each declared once with name, fields and rows: pairs, keyword2text and choice."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import polars as pl

from situatedgen.errors import SchemaError
from situatedgen.vocabulary import Split

Tables = Mapping[str, pl.DataFrame]


@dataclass(frozen=True)
class Field:
    """A column: its type and meaning, used by the card, the Croissant metadata and the data files."""

    dtype: pl.DataType
    meaning: str


@dataclass(frozen=True)
class Configuration:
    """A dataset configuration, i.e. one of the formats the dataset is published in.

    `rows` turns the tables of a build, by stage, into a table with the fields and a column `split`. Anything derived
    from an example, or from one of its statements, stays in its split. The files are in the folder `folder`.
    """

    name: str
    title: str
    meaning: str
    fields: Mapping[str, Field]
    rows: Callable[[Tables], pl.DataFrame]
    folder: str

    def parts(self, tables: Tables) -> dict[Split, pl.DataFrame]:
        """Rows of each split, with the fields in the declared order and types.

        Raises:
            SchemaError: the rows lack a field or the column `split`.
        """
        made = self.rows(tables)
        missing = [name for name in (*self.fields, "split") if name not in made.columns]
        if missing:
            raise SchemaError(f"configuration {self.name!r}: no column {', '.join(missing)}; found {made.columns}")
        typed = [pl.col(name).cast(field.dtype) for name, field in self.fields.items()]
        return {split: made.filter(pl.col("split") == split.value).select(typed) for split in Split}

    def file(self, split: Split, ending: str = "parquet") -> str:
        """Path of a split's file within the dataset folder."""
        return f"{self.folder}/{split.value}.{ending}"


DECIMALS = 6
TEXTS = pl.List(pl.String)
PAIR_FIELDS = {
    "keywords": Field(TEXTS, "the input: the keywords of both statements, shuffled; a keyword of both occurs twice"),
    "statement": Field(pl.String(), "the output: both statements, joined by a space"),
    "ids": Field(TEXTS, "the ids of the two statements: source, part, and zero-based index in the source file"),
    "keywords_pos": Field(pl.List(pl.Int64), "for each keyword, which statement it came from: 0 or 1"),
    "statements": Field(TEXTS, "the two statements; either order is a correct answer"),
    "example_id": Field(pl.String(), "the id of the example"),
    "context": Field(pl.String(), "what the statements share: places (`GEO`), times (`TEMP`), or both (`GEO & TEMP`)"),
    "similarity": Field(pl.Float64(), "cosine similarity of the two statements with their keywords masked"),
    "probability": Field(pl.Float64(), "the judge's probability that the pair is valid; null without a judge"),
    "licences": Field(TEXTS, "the licences of the two statements' sources, in the order of `ids`"),
}


def pair_rows(tables: Tables) -> pl.DataFrame:
    """The examples with rounded scores, sorted by example id."""
    examples = tables["examples"].sort("example_id")
    return examples.with_columns(pl.col("similarity", "probability").cast(pl.Float64).round(DECIMALS))


PAIRS = Configuration(
    name="default",
    title="keywords to two contrastive sentences",
    meaning="Keywords go in, two contrastive sentences come out.",
    fields=PAIR_FIELDS,
    rows=pair_rows,
    folder="data",
)


KEYWORD_SEPARATOR = ", "
STATEMENT_SEPARATOR = " "
KEYWORD2TEXT_FIELDS = {
    "example_id": Field(pl.String(), "the id of the example"),
    "source": Field(pl.String(), "the model input: the keywords, separated by commas"),
    "target": Field(pl.String(), "the expected output: both statements; in train, each order has its own row"),
    "licences": Field(pl.List(pl.String), "the licences of the statements, in the order of `target`"),
}


def keyword2text_rows(tables: Tables) -> pl.DataFrame:
    """One row per example; train also has a row with the statements in reverse order, since either order is correct."""
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
    meaning="A line of keywords as input and a line of two sentences as output; train has both orders of each pair.",
    fields=KEYWORD2TEXT_FIELDS,
    rows=keyword2text_rows,
    folder="keyword2text",
)


CHOICE_FIELDS = {
    "example_id": Field(pl.String(), "the id of the example whose statements are the correct answer"),
    "keywords": Field(TEXTS, "the keywords that all answers contain"),
    "choices": Field(TEXTS, "pairs of sentences, of which one is true"),
    "label": Field(pl.Int64(), "the index of the correct one, from 0"),
    "context": Field(pl.String(), "the contexts that the two statements share"),
    "ids": Field(TEXTS, "the ids of the two statements"),
    "licences": Field(TEXTS, "their licences, in the same order"),
}


def choice_rows(tables: Tables) -> pl.DataFrame:
    """The questions produced by the filter, sorted by example id."""
    return tables["choice"].sort("example_id")


CHOICE = Configuration(
    name="choice",
    title="multiple choice",
    meaning="Four pairs of sentences with the same keywords, one of them true; wrong ones are adversarially filtered.",
    fields=CHOICE_FIELDS,
    rows=choice_rows,
    folder="choice",
)
