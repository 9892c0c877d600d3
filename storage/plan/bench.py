"""A stage's own function, tried in memory on known rows, with models that only recall."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import polars as pl

from situatedgen.models import registry
from situatedgen.params import Params
from situatedgen.pipeline import Stage
from situatedgen.runtime import Runtime
from storage.jobs import Job
from storage.memo import Memo
from storage.plan.memory import Overhear, Overheard, RecallOnly, forgetful, no_questions, unknown
from storage.plan.sight import Tables
from storage.recalling import Recall
from storage.store import Store


@dataclass(frozen=True)
class Bench:
    """The work of one job, to be tried on parts of its inputs."""

    job: Job
    each: Stage
    store: Store

    @property
    def role(self) -> str:
        """The model that the stage asks; empty when it asks none."""
        return next(iter(self.each.models), "")

    def read(self) -> pl.DataFrame:
        """The table of a source, read for real."""
        return self.each.function(Path(self.job.root), params=self._params())

    def run(self, tables: Tables) -> pl.DataFrame:
        """The stage's table of some rows whose answers are all known.

        Raises:
            Overheard: an answer is not known.
        """
        return self._tried(tables, RecallOnly)

    def questions(self, tables: Tables) -> pl.DataFrame:
        """What the stage asks its model, each question once."""
        try:
            self._tried(tables, Overhear)
        except Overheard as heard:
            return heard.questions
        return no_questions(self.role)

    def unknown(self, questions: pl.DataFrame) -> pl.DataFrame:
        """Those of some questions that the model was never asked."""
        return unknown(Memo(self.store, self.role, self._identities()[self.role]), questions)

    def _tried(self, tables: Tables, recall: type[Recall]) -> pl.DataFrame:
        params, models = self._params(), forgetful(self.store, self._identities(), recall)
        # Nothing is remembered of what answers in a moment, such as a list of words: it is asked itself.
        quick = (role for role in self.each.models if role not in models)
        models |= {role: registry.load(role, getattr(params, role), Runtime()) for role in quick}
        given = [tables[name] for name in self.each.inputs]
        return self.each.function(*given, params=params, **models)

    def _params(self) -> Params:
        return self.each.params.model_validate(self.job.params)

    def _identities(self) -> Mapping[str, Mapping[str, object]]:
        return cast("Mapping[str, Mapping[str, object]]", self.job.parts["models"])
