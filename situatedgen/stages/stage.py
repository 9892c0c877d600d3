"""A stage: the function that makes its table, the table's schema, and what goes in."""

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
    """A stage: the function that makes its table, the table's schema, and what goes in.

    A stage `per_source` has one artifact a source; its consumers see them as one table. A model's role is
    also the name of the param that chooses it; the `questions` of a stage are the texts, made from its inputs, that
    it asks the first of its models. A stage that `grows_by` an input takes an earlier run of itself
    and makes only what is new; `spared` tells, of that input and the params then and now, which run to take. Of the
    inputs of that run it `looks_back` at these.
    """

    function: Callable[..., pl.DataFrame]
    schema: schemas.Schema
    params: type[Params]
    models: tuple[str, ...] = ()
    questions: Callable[..., pl.DataFrame] | None = None
    per_source: bool = False
    grows_by: str = ""
    spared: Callable[..., int] | None = None
    looks_back: tuple[str, ...] = ()

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """The artifacts that go in: the tables that the function takes, by the names of its parameters."""
        parameters = signature(self.function).parameters.values()
        return tuple(each.name for each in parameters if each.kind is TABLE and each.annotation is pl.DataFrame)

    @property
    def name(self) -> str:
        """The stage's name, which is also its function's and its artifact's."""
        return self.function.__name__

    @property
    def target(self) -> str:
        """Where the stage's function is defined, as `module:name`."""
        return f"{self.function.__module__}:{self.name}"

    def models_of(self, chosen: Params) -> dict[str, ModelParams]:
        """The models that params choose, by role; none of a role that is left open."""
        found = {role: getattr(chosen, role) for role in self.models}
        return {role: model for role, model in found.items() if is_played(role, model)}

    @property
    def meaning(self) -> str:
        """What the stage does, in one line."""
        return (self.function.__doc__ or "").strip().splitlines()[0]
