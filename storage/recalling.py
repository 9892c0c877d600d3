"""Asks a model only what is not remembered, and remembers it."""

from collections.abc import Callable
from dataclasses import dataclass, field

import polars as pl

from storage.memo import Memo

BATCH = 1024
"""Texts asked at once, and kept as one part: what a killed build can lose."""

Compute = Callable[[pl.DataFrame], pl.DataFrame]


@dataclass
class Tally:
    """How many texts a model was asked, and how many rows were known already."""

    computed: int = 0
    recalled: int = 0


@dataclass(frozen=True)
class Recall:
    """The memo of one model, and a count of what was found there and what was asked."""

    memo: Memo
    tally: Tally = field(default_factory=Tally)

    def answered(self, asked: pl.DataFrame, compute: Compute) -> pl.DataFrame:
        """The questions with their answers, in the same order; `compute` gives those not known yet."""
        distinct = asked.unique(maintain_order=True)
        known = self._known(distinct)
        self.tally.recalled += known.height
        missing = distinct if known.is_empty() else distinct.join(known, on=asked.columns, how="anti")
        answers = pl.concat(self._computed(missing, [known] if known.height else [], compute) or [known])
        return asked.join(answers, on=asked.columns, how="left", maintain_order="left")

    def _known(self, distinct: pl.DataFrame) -> pl.DataFrame:
        """The questions that are remembered, once each, with their answers."""
        parts = self.memo.read()
        if not parts:
            return distinct.clear()
        self.memo.check_form(parts)
        found = pl.concat(parts).join(distinct, on=distinct.columns, how="semi", maintain_order="left")
        return found.unique(subset=distinct.columns, keep="first", maintain_order=True)

    def _computed(self, missing: pl.DataFrame, known: list[pl.DataFrame], compute: Compute) -> list[pl.DataFrame]:
        """What is known, and what the model says of the rest, kept batch by batch."""
        found = list(known)
        for batch in missing.iter_slices(BATCH):
            found.append(compute(batch))
            self.memo.check_form([found[0], found[-1]])
            self.memo.append(found[-1])
            self.tally.computed += batch.height
        return found
