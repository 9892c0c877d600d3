"""Asks a model only what is not remembered, and remembers it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import polars as pl

from situatedgen import progress
from situatedgen.errors import ModelError
from storage.crew import Crew
from storage.locks import held
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
    """The memo of one model, for a job that asks it.

    `scope` keeps apart the jobs that may ask at once without asking the same, such as those of two sources.
    """

    memo: Memo
    scope: str = ""
    tally: Tally = field(default_factory=Tally)
    crew: Crew | None = None

    def answered(self, asked: pl.DataFrame, compute: Compute) -> pl.DataFrame:
        """The questions with their answers, in the same order; `compute` gives those not known yet.

        Two processes that ask the same model take turns, so that the second finds what the first was told.
        """
        questions = asked.columns
        distinct = asked.unique(maintain_order=True)
        with held(self.memo.store.root, f"memo-{self.memo.name[:16]}-{self.scope}"), self.memo.compacting():
            known = self._known(distinct)
            progress.recalled(known.height)
            missing = distinct if known.is_empty() else distinct.join(known, on=questions, how="anti")
            parts = [known] if known.width > len(questions) else []
            for rows in self._computed(missing, compute):
                self._keep(rows, parts[:1])
                parts.append(rows)
        answers = pl.concat(parts or [known])
        return asked.join(answers, on=questions, how="left", maintain_order="left")

    def _known(self, distinct: pl.DataFrame) -> pl.DataFrame:
        """The questions that are remembered, once each, with their answers."""
        parts = self.memo.read()
        if not parts:
            return distinct.clear()
        found = pl.concat(parts).join(distinct, on=distinct.columns, how="semi", maintain_order="left")
        return found.unique(subset=distinct.columns, keep="first", maintain_order=True)

    def _computed(self, missing: pl.DataFrame, compute: Compute) -> Iterator[pl.DataFrame]:
        """What a model says, batch by batch: asked by a crew where that pays, or else in this process."""
        if self.crew is not None and self.crew.is_worthwhile(missing.height):
            yield from self.crew.answers(missing)
            return
        for batch in missing.iter_slices(BATCH):
            yield compute(batch)

    def _keep(self, rows: pl.DataFrame, before: Sequence[pl.DataFrame]) -> None:
        """Keep what a model said, of the same form as what it said before."""
        for said in before:
            if rows.schema != said.schema:
                raise ModelError(f"the {self.memo.role} answered {_form(rows)}, expected {_form(said)} as before")
        self.memo.append(rows)
        self.tally.computed += rows.height


def _form(rows: pl.DataFrame) -> str:
    return ", ".join(f"{name}: {dtype}" for name, dtype in rows.schema.items())
