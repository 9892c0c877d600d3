"""The form of a build in the Prefect UI: every setting of every stage, with its meaning, limits and preset values."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    Field,
    GetJsonSchemaHandler,
    SerializerFunctionWrapHandler,
    WithJsonSchema,
    create_model,
    model_serializer,
)
from pydantic.fields import FieldInfo
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from situatedgen.models.registry import REGISTRY, known_names
from situatedgen.params import Params
from situatedgen.preset_files import ENDING, names
from situatedgen.presets import load, with_tables
from situatedgen.runtime import Runtime
from situatedgen.settings import Settings
from situatedgen.sources.source import BUILT_IN, SourceParams

LIMITS = {"gt": "more than", "ge": "at least", "lt": "less than", "le": "at most"}
LONGEST = 24
"""Letters of a preset's value that are shown; what is longer is a revision."""


def meaning(path: tuple[str, ...], field: FieldInfo) -> str | None:
    """What a form says of a setting, by its path.

    For example: `Candidates less similar than this are out. More than 0, at most 1. Presets: 0.8.`
    """
    if not field.description:
        return None
    return " ".join(part for part in (plain(field.description), limits(field), preset_values(path)) if part)


@dataclass(frozen=True)
class NamedAsInCode:
    """Beside a model: its fields are called in a form as they are in code, with their limits."""

    model: type[BaseModel]

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        schema = handler(core)
        fields = handler.resolve_ref_schema(schema)["properties"]
        for position, (name, field) in enumerate(self.model.model_fields.items()):
            words = f"{plain(field.description or '')} {limits(field)}".strip()
            fields[name] |= {"title": name, "description": words, "position": position}
        return schema


def plain(text: str) -> str:
    """A text without the marks of code, which a form would show as they are."""
    return text.replace("`", "")


def limits(field: FieldInfo) -> str:
    """Between which values a setting must lie; empty where all are allowed."""
    found = [
        f"{word} {getattr(rule, name):g}"
        for rule in field.metadata
        for name, word in LIMITS.items()
        if getattr(rule, name, None) is not None
    ]
    return f"{', '.join(found).capitalize()}." if found else ""


def preset_values(path: tuple[str, ...]) -> str:
    """What the shipped presets say of a setting: `Presets: 0.8.`, or `Presets: leiden (embedded), louvain (paper).`"""
    said: dict[str, list[str]] = {}
    for name in names():
        said.setdefault(_value(name, path), []).append(name)
    values = [value if len(said) == 1 else f"{value} ({', '.join(who)})" for value, who in said.items() if value]
    return f"Presets: {', '.join(values)}." if values else ""


@cache
def _settings(preset: str) -> BaseModel:
    return load(preset)


def _value(preset: str, path: tuple[str, ...]) -> str:
    found: object = _settings(preset)
    for name in path:
        found = getattr(found, name, "")
    return "" if isinstance(found, BaseModel | tuple) else _short(found)


def _short(value: object) -> str:
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return text if len(text) <= LONGEST or "/" in text else f"{text[:12]}…"


def one_of(known: Iterable[str], own: str, pattern: str) -> WithJsonSchema:
    """The schema of a text that is one of the known names, or something of one's own that looks like a pattern."""
    choice = {"title": "known", "type": "string", "enum": list(known)}
    return WithJsonSchema({"anyOf": [choice, {"title": own, "type": "string", "pattern": pattern}]})


def _unless_empty(given: object) -> object:
    """Nothing, where a field of the form is empty."""
    return None if given == UNFILLED else given


# With None in its place the form would draw a switch between a folder and nothing.
UNFILLED: Any = ""


Preset = Annotated[str, one_of(names(), "file", rf"\{ENDING}$")]
Folder = Annotated[Path | None, BeforeValidator(_unless_empty), WithJsonSchema({"type": "string", "format": "path"})]
Share = Annotated[float, Field(ge=0, le=1)]
BuiltIn = Annotated[str, WithJsonSchema({"title": "built in", "type": "string", "enum": list(BUILT_IN)})]

Machine = Annotated[Runtime, NamedAsInCode(Runtime)]


def _written(place: object) -> object:
    """A path as text; what is no path stays as it is, for others to refuse."""
    return str(place) if isinstance(place, Path) else place


StoreAddress = Annotated[str, BeforeValidator(_written)]
"""A folder, or a prefix of a bucket such as `s3://bucket/prefix`."""


class Options(Params):
    """Settings of which only those that are set are written down."""

    @model_serializer(mode="wrap")
    def _those_that_are_set(self, serialized: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in serialized(self).items() if value is not None}


def optional(model: type[BaseModel], *path: str, title: str = "") -> type[Options]:
    """A model with the fields of another, its limits and its words, of which each may be left out, at any depth.

    The path says where among the settings the model stands.
    """
    fields: dict[str, Any] = {
        name: _optional_field((*path, name), field, position)
        for position, (name, field) in enumerate(model.model_fields.items())
    }
    name = title or (path[-1] if path else "settings")
    return create_model(name, __base__=Options, __doc__=plain(model.__doc__ or ""), **fields)


def _optional_field(path: tuple[str, ...], field: FieldInfo, position: int) -> tuple[Any, Any]:
    """A field that may be left out; but a part of something of one's own without which it means nothing may not."""
    field_with = partial(Field, title=path[-1], description=meaning(path, field))
    if field.is_required() and path[0] == "sources":
        return _type(path, field), field_with(json_schema_extra={"position": position})
    return _type(path, field) | None, field_with(None, json_schema_extra=partial(_placed, position))


def _type(path: tuple[str, ...], field: FieldInfo) -> Any:  # Any: types made here
    """What a field takes when it is given: a model with parts, a model's name, or what it always takes."""
    if model := _model_of(field.annotation):
        return optional(model, *path)
    if path == ("sources",):
        own: Any = optional(SourceParams, *path, title="your own")
        return Annotated[(tuple[BuiltIn | own, ...], *field.metadata)]
    if path[-1] == "name" and path[-2] in REGISTRY:
        return Annotated[str, one_of(known_names(path[-2]), "your own", r"^[\w.]+:\w+$")]
    return Annotated[(field.annotation, *field.metadata)] if field.metadata else field.annotation


def _model_of(annotation: Any) -> type[BaseModel] | None:
    """The model that an annotation names, be it optional or not; nothing where it names none."""
    choices = get_args(annotation) if isinstance(annotation, UnionType) else (annotation,)
    models = (choice for choice in choices if isinstance(choice, type) and issubclass(choice, BaseModel))
    return next(models, None)


def _placed(position: int, schema: dict[str, Any]) -> None:
    """Say where in the form a field stands, and nothing of null: a form leaves out what nobody filled in."""
    schema.pop("default", None)
    given = [choice for choice in schema.pop("anyOf") if choice != {"type": "null"}]
    schema |= given[0] if len(given) == 1 else {"anyOf": given}
    schema["position"] = position


def chosen_options(preset: str, params: Options) -> Settings:
    """The settings of a preset, with the params that are set over it.

    Raises:
        SettingsError: there is no such preset, or something in it or in the params cannot be used.
    """
    return with_tables(preset, params.model_dump(mode="json", exclude_unset=True))


if TYPE_CHECKING:
    Overrides: TypeAlias = Options
else:
    Overrides = optional(Settings)
