"""What a configuration of a dataset is: a name, its fields, and the function that makes its rows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import polars as pl

from situatedgen.errors import SchemaError
from situatedgen.vocabulary import Split

Tables = Mapping[str, pl.DataFrame]


@dataclass(frozen=True)
class Field:
    """A column: its type and what it means, for the card, the Croissant metadata and the types of the files."""

    dtype: pl.DataType
    meaning: str


@dataclass(frozen=True)
class Configuration:
    """A shape of the dataset.

    `rows` makes, from the tables of a build by stage, a table with the fields and a column `split`. What is made of
    an example, or of one of its statements, stays in its split. The files lie in the folder `folder`.
    """

    name: str
    title: str
    meaning: str
    fields: Mapping[str, Field]
    rows: Callable[[Tables], pl.DataFrame]
    folder: str

    def parts(self, tables: Tables) -> dict[Split, pl.DataFrame]:
        """The rows of each split, with the fields in their order and types.

        Raises:
            SchemaError: the rows lack a field or their split.
        """
        made = self.rows(tables)
        missing = [name for name in (*self.fields, "split") if name not in made.columns]
        if missing:
            raise SchemaError(f"configuration {self.name!r}: no column {', '.join(missing)}; found {made.columns}")
        typed = [pl.col(name).cast(field.dtype) for name, field in self.fields.items()]
        return {split: made.filter(pl.col("split") == split.value).select(typed) for split in Split}

    def file(self, split: Split, ending: str = "parquet") -> str:
        """Where a split lies in the folder of the dataset."""
        return f"{self.folder}/{split.value}.{ending}"
