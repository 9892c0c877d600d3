"""A dataset as numbers, which can be dealt in many ways without looking at a text again."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from situatedgen.leakage.novelty import SIZES, Combinations, combinations, word_sets
from situatedgen.vocabulary import Split

Numbers = NDArray[np.int64]
TRAIN, DEV, TEST, OUT = 0, 1, 2, -1
"""The splits as numbers; what a dealing leaves out has none."""
NUMBER = {Split.TRAIN: TRAIN, Split.DEV: DEV, Split.TEST: TEST}


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """Examples by number: their two sentences, keyword combinations, context; sentences by number: their source.

    `names` are the sentences' ids, in order.
    """

    names: tuple[str, ...]
    left: Numbers
    right: Numbers
    contexts: Numbers
    sources: Numbers
    words: tuple[Combinations, ...]

    def __len__(self) -> int:
        """How many examples there are."""
        return len(self.left)


def sheet(examples: pl.DataFrame, sizes: Sequence[int] = SIZES) -> Sheet:
    """The sheet of examples with `ids` and `keywords`, and `context` where it is known."""
    ids = examples["ids"]
    names = ids.explode().unique().drop_nulls().sort()
    numbered = pl.Enum(names)
    left, right = (ids.list.get(side).cast(numbered).to_physical().to_numpy().astype(np.int64) for side in (0, 1))
    keywords = word_sets(examples["keywords"].list.eval(pl.element().str.to_lowercase()))
    contexts = examples["context"].cast(pl.String) if "context" in examples.columns else _unknown(len(examples))
    sources = pl.Series([name.partition("::")[0] for name in names], dtype=pl.String)
    words = tuple(combinations(keywords, size) for size in sizes)
    return Sheet(tuple(names), left, right, _codes(contexts), _codes(sources), words)


def split_numbers(splits: pl.Series) -> Numbers:
    """The split of each example as a number."""
    found = splits.cast(pl.String).replace_strict(
        {split.value: number for split, number in NUMBER.items()}, default=OUT
    )
    return found.to_numpy().astype(np.int64)


def _unknown(count: int) -> pl.Series:
    return pl.Series([""] * count, dtype=pl.String)


def _codes(values: pl.Series) -> Numbers:
    return values.rank("dense").to_numpy().astype(np.int64) - 1 if len(values) else np.empty(0, np.int64)
