"""The examples that predictions answer."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from situatedgen.dataset.folder import read_examples
from situatedgen.errors import SettingsError, unknown
from situatedgen.vocabulary import Split


@dataclass(frozen=True, slots=True)
class Example:
    """What a system is given (the keywords), and what it should write (the statements, in either order)."""

    example_id: str
    keywords: tuple[str, ...]
    places: tuple[int, ...]
    statements: tuple[str, str]
    context: str = ""
    sources: tuple[str, ...] = ()

    @property
    def reference(self) -> str:
        """Both statements as one text."""
        return " ".join(self.statements)


def examples_of(dataset: Path, split: str = Split.TEST.value) -> tuple[Example, ...]:
    """The examples of a split of a dataset folder, in their order there.

    Raises:
        SettingsError: the folder is no dataset of ours, the split is not known, or has no examples.
    """
    if split not in list(Split):
        raise unknown("split", split, (each.value for each in Split))
    rows = read_examples(dataset).filter(pl.col("split") == split)
    if rows.is_empty():
        raise SettingsError(f"the {split} split of {dataset} has no examples; choose another with --split")
    return tuple(map(_example, rows.iter_rows(named=True)))


def _example(row: dict[str, Any]) -> Example:  # Any: values of several types, as the schema of the folder says
    first, second = row["statements"]
    return Example(
        example_id=row["example_id"],
        keywords=tuple(row["keywords"]),
        places=tuple(row["keywords_pos"]),
        statements=(first, second),
        context=row["context"],
        sources=tuple(sorted({id_.partition("::")[0] for id_ in row["ids"]})),
    )
