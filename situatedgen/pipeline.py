"""Every stage, declared once. Read this first: it is the whole line of data."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from inspect import Parameter, signature

import polars as pl

from situatedgen import params, schemas
from situatedgen.errors import unknown
from situatedgen.models.registry import is_played
from situatedgen.params import ModelParams, Params
from situatedgen.sources.source import ItemParams
from situatedgen.stages.candidates import candidates, spared
from situatedgen.stages.communities import communities
from situatedgen.stages.embeddings import embedding_questions, embeddings
from situatedgen.stages.entities import entities, entity_questions
from situatedgen.stages.examples import examples
from situatedgen.stages.items import items
from situatedgen.stages.judged import judge_questions, judged, shortlist
from situatedgen.stages.judgements import judgements
from situatedgen.stages.keywords import keyword_questions, keywords
from situatedgen.stages.leakage import leakage
from situatedgen.stages.masks import masks
from situatedgen.stages.pairs import pairs
from situatedgen.stages.parses import parse_questions, parses
from situatedgen.stages.selected import selected
from situatedgen.stages.splits import splits
from situatedgen.stages.statements import statement_questions, statements
from situatedgen.stages.terms import terms

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


# fmt: off
PIPELINE = (
    Stage(items, schemas.ITEMS, ItemParams, per_source=True),
    Stage(statements, schemas.STATEMENTS, params.StatementParams, ("converter",), statement_questions, per_source=True),
    Stage(entities, schemas.ENTITIES, params.EntityParams, ("tagger",), entity_questions),
    Stage(keywords, schemas.KEYWORDS, params.KeywordParams, ("nouns",), keyword_questions),
    Stage(masks, schemas.MASKS, params.MaskParams),
    Stage(parses, schemas.PARSES, params.ParseParams, ("parser",), parse_questions),
    Stage(embeddings, schemas.EMBEDDINGS, params.EmbeddingParams, ("encoder",), embedding_questions),
    Stage(candidates, schemas.CANDIDATES, params.CandidateParams, grows_by="masks", spared=spared,
          looks_back=("statements", "entities", "masks", "embeddings")),
    Stage(pairs, schemas.PAIRS, params.PairParams),
    Stage(shortlist, schemas.JUDGED, params.ShortlistParams, ("judge",), judge_questions),
    Stage(judged, schemas.JUDGED, params.JudgedParams, ("judge",), judge_questions),
    Stage(selected, schemas.JUDGED, params.SelectedParams),
    Stage(terms, schemas.TERMS, params.TermParams),
    Stage(communities, schemas.COMMUNITIES, params.CommunityParams, ("detector",)),
    Stage(splits, schemas.SPLITS, params.SplitParams),
    Stage(judgements, schemas.JUDGEMENTS, params.JudgementParams),
    Stage(examples, schemas.EXAMPLES, params.ExampleParams),
    Stage(leakage, schemas.LEAKAGE, params.LeakageParams),
)
# fmt: on
STAGES = {stage.name: stage for stage in PIPELINE}
# What no stage makes: the splits of an earlier dataset, and what people decided; each empty where there is none.
GIVEN = {"precedent": schemas.PRECEDENT, "decisions": schemas.DECISIONS}


def stage(name: str) -> Stage:
    """The stage of a name.

    Raises:
        SettingsError: there is no such stage.
    """
    known = STAGES if name in STAGES else all_stages()
    if name not in known:
        raise unknown("stage", name, STAGES)
    return known[name]


@cache
def all_stages() -> Mapping[str, Stage]:
    """The stages of every pipeline by name: of this one, and of that of concept sets."""
    # Made of stages as they are declared here.
    from situatedgen.commongen.stages import CONCEPT_PIPELINE  # noqa: PLC0415

    return {**{stage.name: stage for stage in CONCEPT_PIPELINE}, **STAGES}


def schema_of(name: str) -> schemas.Schema:
    """The schema of an artifact: of a stage, or of what is given to one.

    Raises:
        SettingsError: there is no such artifact.
    """
    return GIVEN[name] if name in GIVEN else stage(name).schema
