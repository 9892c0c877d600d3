"""The description of a stage: its function, the schema of its table, its params and inputs."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from inspect import Parameter, signature

import polars as pl

from situatedgen import schemas
from situatedgen.models.registry import is_played
from situatedgen.params import ModelParams, Params

TABLE = Parameter.POSITIONAL_OR_KEYWORD


@dataclass(frozen=True)
class Stage:
    """A stage: the function that computes its table, the table's schema, and its inputs.

    A stage `per_source` makes one artifact per source; its consumers see them as one table. Without `params`, there is
    nothing to set. `models` are roles; each is also the name of the param that chooses the model. `questions` is a
    function that computes from the inputs the texts to send to the first model.

    An incremental stage takes a previous run of itself and computes only the rows that are new in the input
    `incremental_on`. `count_reusable` scores a previous run, given that input and the params of both runs, so that the
    best one is reused; `previous_inputs` are the inputs of that run that the stage reads.
    """

    function: Callable[..., pl.DataFrame]
    schema: schemas.Schema
    params: type[Params] = Params
    models: tuple[str, ...] = ()
    questions: Callable[..., pl.DataFrame] | None = None
    per_source: bool = False
    incremental_on: str = ""
    count_reusable: Callable[..., int] | None = None
    previous_inputs: tuple[str, ...] = ()

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """The names of the input artifacts: the parameters of the function that are tables."""
        parameters = signature(self.function).parameters.values()
        return tuple(each.name for each in parameters if each.kind is TABLE and each.annotation is pl.DataFrame)

    @property
    def name(self) -> str:
        """The name of the stage, its function and its artifact."""
        return self.function.__name__

    @property
    def target(self) -> str:
        """Where the stage's function is defined, as `module:name`."""
        return f"{self.function.__module__}:{self.name}"

    @property
    def has_params(self) -> bool:
        """Whether the settings have a table for the stage, and its function takes `params`."""
        return self.params is not Params

    def models_of(self, chosen: Params) -> dict[str, ModelParams]:
        """The models that the params choose, by role; an optional role set to `none` is left out."""
        found = {role: getattr(chosen, role) for role in self.models}
        return {role: model for role, model in found.items() if is_played(role, model)}

    @property
    def meaning(self) -> str:
        """One line that says what the stage does: the first line of its function's docstring."""
        return (self.function.__doc__ or "").strip().splitlines()[0]
