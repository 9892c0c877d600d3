"""The build form in the Prefect UI: every setting of every stage, with its meaning, limits and preset values."""

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
from situatedgen.sources.builtin import COLLECTIONS
from situatedgen.sources.params import SourceParams

LIMITS = {"gt": "more than", "ge": "at least", "lt": "less than", "le": "at most"}
LONGEST = 24
"""Maximum length of a preset's value to show; anything longer is a revision hash."""


def meaning(path: tuple[str, ...], field: FieldInfo) -> str | None:
    """Return the description of a setting in the form, by its path.

    For example: `Candidates less similar than this are out. More than 0, at most 1. Presets: 0.8.`
    """
    if not field.description:
        return None
    return " ".join(part for part in (plain(field.description), limits(field), preset_values(path)) if part)


@dataclass(frozen=True)
class NamedAsInCode:
    """Annotation for a model: the form shows its fields under their names in the code, with their limits."""

    model: type[BaseModel]

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        schema = handler(core)
        fields = handler.resolve_ref_schema(schema)["properties"]
        for position, (name, field) in enumerate(self.model.model_fields.items()):
            words = f"{plain(field.description or '')} {limits(field)}".strip()
            fields[name] |= {"title": name, "description": words, "position": position}
        return schema


def plain(text: str) -> str:
    """Remove backticks, which a form would show literally."""
    return text.replace("`", "")


def limits(field: FieldInfo) -> str:
    """Return the allowed range of a setting, or an empty string if there is none."""
    found = [
        f"{word} {getattr(rule, name):g}"
        for rule in field.metadata
        for name, word in LIMITS.items()
        if getattr(rule, name, None) is not None
    ]
    return f"{', '.join(found).capitalize()}." if found else ""


def preset_values(path: tuple[str, ...]) -> str:
    """Return the presets' values of a setting: `Presets: 0.8.` or `Presets: leiden (embedded), louvain (paper).`"""
    presets: dict[str, list[str]] = {}
    for name in names():
        presets.setdefault(_preset_value(name, path), []).append(name)
    values = [value if len(presets) == 1 else f"{value} ({', '.join(by)})" for value, by in presets.items() if value]
    return f"Presets: {', '.join(values)}." if values else ""


@cache
def _load_preset(preset: str) -> BaseModel:
    return load(preset)


def _preset_value(preset: str, path: tuple[str, ...]) -> str:
    found: object = _load_preset(preset)
    for name in path:
        found = getattr(found, name, "")
    return "" if isinstance(found, BaseModel | tuple) else _shorten(found)


def _shorten(value: object) -> str:
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return text if len(text) <= LONGEST or "/" in text else f"{text[:12]}…"


def one_of(known: Iterable[str], own: str, pattern: str) -> WithJsonSchema:
    """Return the JSON schema of a string that is either one of the known names or a custom one matching a pattern."""
    choice = {"title": "known", "type": "string", "enum": list(known)}
    return WithJsonSchema({"anyOf": [choice, {"title": own, "type": "string", "pattern": pattern}]})


def _unless_empty(given: object) -> object:
    """Convert an empty form field to None."""
    return None if given == UNFILLED else given


# With a default of None, the form would show a switch between a folder and nothing.
UNFILLED: Any = ""


Preset = Annotated[str, one_of(names(), "file", rf"\{ENDING}$")]
Folder = Annotated[Path | None, BeforeValidator(_unless_empty), WithJsonSchema({"type": "string", "format": "path"})]
Share = Annotated[float, Field(ge=0, le=1)]
BuiltIn = Annotated[str, WithJsonSchema({"title": "built in", "type": "string", "enum": list(COLLECTIONS)})]

Machine = Annotated[Runtime, NamedAsInCode(Runtime)]


def _path_to_text(place: object) -> object:
    """Convert a path to text; leave anything else for validation to reject."""
    return str(place) if isinstance(place, Path) else place


StoreAddress = Annotated[str, BeforeValidator(_path_to_text)]
"""A folder, or a bucket prefix such as `s3://bucket/prefix`."""


class Options(Params):
    """Settings that serialize only the fields that are set."""

    @model_serializer(mode="wrap")
    def _serialize_set_fields(self, serialized: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in serialized(self).items() if value is not None}


def optional(model: type[BaseModel], *path: str, title: str = "") -> type[Options]:
    """Create a model with the fields, limits and descriptions of another, all of them optional at any depth.

    `path` is the location of the model within the settings.
    """
    fields: dict[str, Any] = {
        name: _optional_field((*path, name), field, position)
        for position, (name, field) in enumerate(model.model_fields.items())
    }
    name = title or (path[-1] if path else "settings")
    return create_model(name, __base__=Options, __doc__=plain(model.__doc__ or ""), **fields)


def _optional_field(path: tuple[str, ...], field: FieldInfo, position: int) -> tuple[Any, Any]:
    """Make a field optional, except the required fields of a custom source."""
    field_with = partial(Field, title=path[-1], description=meaning(path, field))
    if field.is_required() and path[0] == "sources":
        return _field_type(path, field), field_with(json_schema_extra={"position": position})
    return _field_type(path, field) | None, field_with(None, json_schema_extra=partial(_set_position, position))


def _field_type(path: tuple[str, ...], field: FieldInfo) -> Any:  # Any: types created here
    """Return the type of a given field: a model of optional fields, a model name, or its declared type."""
    if model := _model_of(field.annotation):
        return optional(model, *path)
    if path == ("sources",):
        own: Any = optional(SourceParams, *path, title="custom")
        return Annotated[(tuple[BuiltIn | own, ...], *field.metadata)]
    if path[-1] == "name" and path[-2] in REGISTRY:
        return Annotated[str, one_of(known_names(path[-2]), "custom", r"^[\w.]+:\w+$")]
    return Annotated[(field.annotation, *field.metadata)] if field.metadata else field.annotation


def _model_of(annotation: Any) -> type[BaseModel] | None:
    """Return the model class in an annotation, optional or not; None if there is none."""
    choices = get_args(annotation) if isinstance(annotation, UnionType) else (annotation,)
    models = (choice for choice in choices if isinstance(choice, type) and issubclass(choice, BaseModel))
    return next(models, None)


def _set_position(position: int, schema: dict[str, Any]) -> None:
    """Set the position of a field in the form and hide the null choice, as a form omits empty fields."""
    schema.pop("default", None)
    given = [choice for choice in schema.pop("anyOf") if choice != {"type": "null"}]
    schema |= given[0] if len(given) == 1 else {"anyOf": given}
    schema["position"] = position


def chosen_options(preset: str, params: Options) -> Settings:
    """Return the settings of a preset with params overriding it.

    Raises:
        SettingsError: the preset does not exist, or it or the params are invalid.
    """
    return with_tables(preset, params.model_dump(mode="json", exclude_unset=True))


if TYPE_CHECKING:
    Overrides: TypeAlias = Options
else:
    Overrides = optional(Settings)
