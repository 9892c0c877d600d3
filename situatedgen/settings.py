"""Settings of a whole build, with readable messages for invalid ones."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, Field, ValidationError, field_validator, model_validator

from situatedgen import params
from situatedgen.errors import SettingsError, unknown
from situatedgen.models.registry import entry, is_played
from situatedgen.rules.licences import Group
from situatedgen.sources.params import SourceParams

Supplement = Literal["creak_explanations", "strategyqa_facts"]
MOVING_REVISIONS = frozenset({"latest", "main", "master", "head"})


def _split_names(names: object) -> object:
    return tuple(name.strip() for name in names.split(",")) if isinstance(names, str) else names


def _parse_sources(sources: object) -> object:
    named = [name.strip() for name in sources.split(",")] if isinstance(sources, str) else sources
    if not isinstance(named, list | tuple):
        return named
    return tuple({"name": source} if isinstance(source, str) else source for source in named)


class Settings(params.Params):
    """Everything that determines which dataset is built: the sources, and the params of every stage."""

    sources: Annotated[tuple[SourceParams, ...], BeforeValidator(_parse_sources)] = Field(
        (), description="Sources to read; default: all built-in sources found in the folder."
    )
    exclude_sources: Annotated[tuple[str, ...], BeforeValidator(_split_names)] = Field(
        (), description="Names of sources to exclude."
    )
    supplements: Annotated[tuple[Supplement, ...], BeforeValidator(_split_names)] = Field(
        (), description="Additional parts of the built-in sources to read, if no source is named."
    )
    licences: Group = Field("any", description="Exclude items whose licence is not in this group.")
    statements: params.StatementParams = params.StatementParams()
    entities: params.EntityParams = params.EntityParams()
    keywords: params.KeywordParams = params.KeywordParams()
    masks: params.MaskParams = params.MaskParams()
    embeddings: params.EmbeddingParams = params.EmbeddingParams()
    candidates: params.CandidateParams = params.CandidateParams()
    pairs: params.PairParams = params.PairParams()
    parses: params.ParseParams = params.ParseParams()
    shortlist: params.ShortlistParams = params.ShortlistParams()
    judged: params.JudgedParams = params.JudgedParams()
    selected: params.SelectedParams = params.SelectedParams()
    communities: params.CommunityParams = params.CommunityParams()
    splits: params.SplitParams = params.SplitParams()
    judgements: params.JudgementParams = params.JudgementParams()
    terms: params.TermParams = params.TermParams()
    examples: params.ExampleParams = params.ExampleParams()
    leakage: params.LeakageParams = params.LeakageParams()

    @field_validator("sources")
    @classmethod
    def _each_name_once(cls, sources: tuple[SourceParams, ...]) -> tuple[SourceParams, ...]:
        names = [source.name for source in sources]
        repeated = sorted({name for name in names if names.count(name) > 1})
        if repeated:
            raise ValueError(f"source names must be unique; repeated: {', '.join(repeated)}")
        return sources

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.masks.min_masks > self.masks.max_masks:
            raise ValueError(
                f"masks.min_masks is {self.masks.min_masks}; expected at most masks.max_masks,"
                f" which is {self.masks.max_masks}"
            )
        if self.candidates.floor > self.pairs.min_similarity:
            raise ValueError(
                f"candidates.floor is {self.candidates.floor}; expected at most pairs.min_similarity,"
                f" which is {self.pairs.min_similarity}: no pair is found below the floor"
            )
        if self.splits.test_share + self.splits.dev_share >= 1:
            raise ValueError("splits.test_share and splits.dev_share leave nothing for train")
        return self

    @model_validator(mode="after")
    def _models_are_known(self) -> Self:
        for stage, role, model in self.models():
            entry(role, model.name)
            if model.revision.lower() in MOVING_REVISIONS:
                raise ValueError(
                    f"{stage}.{role}.revision is {model.revision!r}, which can change; give an exact revision"
                )
        return self

    def models(self) -> Iterator[tuple[str, str, params.ModelParams]]:
        """The models that the settings name, each with its stage and its role."""
        for stage, role in ROLES.items():
            model = getattr(getattr(self, stage), role)
            if is_played(role, model):
                yield stage, role, model


def _roles() -> Iterator[tuple[str, str]]:
    for stage, field in Settings.model_fields.items():
        for name, inner in getattr(field.annotation, "model_fields", {}).items():
            if inner.annotation is params.ModelParams:
                yield stage, name


ROLES = dict(_roles())


def validate(values: Mapping[str, object]) -> Settings:
    """Validate raw values and return the settings.

    Raises:
        SettingsError: a name is unknown, or a value is not allowed; the message says what is.
    """
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        raise _explain(error) from error


def field_type(path: tuple[str, ...], of: type[BaseModel] = Settings) -> object:
    """Type annotation of the setting at a path.

    Raises:
        SettingsError: there is no such setting.
    """
    found: object = of
    for depth, name in enumerate(path):
        fields = getattr(found, "model_fields", None)
        if fields is None:
            raise SettingsError(f"{'.'.join(path[:depth])} is a single value, without settings of its own")
        if name not in fields:
            raise _unknown(path[: depth + 1], fields)
        found = fields[name].annotation
    return found


def _explain(error: ValidationError) -> SettingsError:
    problems = error.errors(include_url=False)
    for problem in problems:
        if problem["type"] == "extra_forbidden":
            return _unknown(tuple(map(str, problem["loc"])), _fields_at(problem["loc"][:-1]))
    return SettingsError("; ".join(_describe_problem(each["loc"], each["msg"], each["input"]) for each in problems))


def _unknown(path: tuple[str, ...], known: Mapping[str, object]) -> SettingsError:
    what = f"param of {'.'.join(path[:-1])}" if len(path) > 1 else "stage"
    return unknown(what, path[-1], known)


def _fields_at(location: tuple[int | str, ...]) -> Mapping[str, object]:
    model: Any = SourceParams if location[:1] == ("sources",) else Settings
    for name in location[2:] if model is SourceParams else location:
        model = _model_in(model.model_fields[name].annotation)
    fields: Mapping[str, object] = model.model_fields
    return fields


def _model_in(annotation: Any) -> type[BaseModel]:
    """The pydantic model in an annotation, which may be optional."""
    choices = getattr(annotation, "__args__", (annotation,))
    return next(choice for choice in choices if isinstance(choice, type) and issubclass(choice, BaseModel))


def _describe_problem(location: tuple[int | str, ...], message: str, found: object) -> str:
    where = ".".join(map(str, location))
    own = message.removeprefix("Value error, ")
    if own != message:
        return f"{where}: {own}" if where else own
    return f"{where}: {message[0].lower()}{message[1:]}, found {found!r:.80}"
