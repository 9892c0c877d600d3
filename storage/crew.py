"""Who is asked what a model says: processes that share its texts, each with a copy of it, and answers are the same."""

import os
from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from situatedgen import progress, spreading
from situatedgen.models import registry
from situatedgen.params import ModelParams
from situatedgen.runtime import Runtime
from storage import guarding
from storage.asking import Asked
from storage.digests import json_digest
from storage.jobs import model_identity
from storage.processes import Processes

BATCH, LEAST, SHARES = 512, 64, 8
"""Texts that go to a process at once; on a cluster fewer where there are few, so that several get a share."""
WORTHWHILE = 4 * BATCH
"""With fewer texts than these, starting the processes costs more than they save."""


@dataclass(frozen=True)
class Crew:
    """The processes that can be asked what a model says: of this machine, or those that work is spread to."""

    role: str
    params: ModelParams
    runtime: Runtime

    @property
    def size(self) -> int:
        """How many processes there are: as many as asked for, or one a core; one where the model uses all cores."""
        if self.runtime.runner != "processes" or not registry.entry(self.role, self.params.name).one_core:
            return 1
        return self.runtime.workers or len(os.sched_getaffinity(0))

    def is_worthwhile(self, texts: int) -> bool:
        """Whether so many texts are answered sooner by several processes, or are given to a cluster in any case."""
        return texts > 0 if spreading.current() else texts >= WORTHWHILE and self.size > 1

    def answers(self, asked: pl.DataFrame) -> Iterator[pl.DataFrame]:
        """The questions with their answers, batch by batch, as they come."""
        spreader = spreading.current() or Processes(self.size)
        size = min(BATCH, max(LEAST, -(-asked.height // SHARES))) if spreading.current() else BATCH
        batches = [(batch,) for batch in asked.iter_slices(size)]
        for _, rows in spreader.spread(self._asked().answer, batches):
            progress.advance(rows.height)
            yield rows

    def _asked(self) -> Asked:
        identity = json_digest(model_identity(self.role, self.params))
        return Asked(self.role, self.params, self.runtime, identity, guarding.current())
