"""Asks a model of this process, whoever sent the texts: it is loaded once, and asked by one thread at a time."""

from dataclasses import dataclass
from functools import cache
from threading import RLock
from typing import Any

import polars as pl

from situatedgen import progress
from situatedgen.errors import ModelError
from situatedgen.models import registry
from situatedgen.models.answering import ANSWERING
from situatedgen.params import ModelParams
from situatedgen.runtime import Runtime
from storage.digests import json_digest
from storage.guarding import Guard, nothing
from storage.jobs import model_identity

_alone = RLock()


@dataclass(frozen=True)
class Asked:
    """A model as another process is to ask it: its role and params, how it runs, and what it must be there too."""

    role: str
    params: ModelParams
    runtime: Runtime
    identity: str
    guard: Guard = nothing

    def answer(self, questions: pl.DataFrame) -> pl.DataFrame:
        """Questions with what the model of this process answers; whoever sent them counts them.

        Raises:
            ModelError: the model of this process is not the one that was meant.
        """
        with _alone, self.guard(self.role, self.params, self.runtime), progress.unheard():
            self._check()
            return ANSWERING[self.role](model(self.role, self.params, self.runtime), questions)

    def _check(self) -> None:
        if identity(self.role, self.params) != self.identity:
            raise ModelError(
                f"{self.role} {self.params.name!r} has other code, packages or weights in this process than where the"
                " build was started; install the same lock, and put the same weights, wherever work is done"
            )


@cache
def model(role: str, params: ModelParams, runtime: Runtime) -> Any:  # Any: a Protocol of `roles`, by role
    """The model of this process, loaded when it is first asked for."""
    return registry.load(role, params, runtime)


@cache
def identity(role: str, params: ModelParams) -> str:
    """The digest of all that a model's answers depend on, as it is found by this process."""
    return json_digest(model_identity(role, params))
