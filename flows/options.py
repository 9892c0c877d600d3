"""The parameters of a build as a form draws them: every setting of every stage, each of which may be left out."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import (
    BaseModel,
    BeforeValidator,
    Field,
    SerializerFunctionWrapHandler,
    WithJsonSchema,
    create_model,
    model_serializer,
)
from pydantic.fields import FieldInfo

from situatedgen.models.registry import REGISTRY
from situatedgen.params import Params
from situatedgen.preset_files import ENDING
from situatedgen.presets import names, with_tables
from situatedgen.settings import Settings


def one_of(known: Iterable[str], own: str, pattern: str) -> WithJsonSchema:
    """The schema of a text that is one of the known names, or something of one's own that looks like a pattern."""
    choice = {"title": "known", "type": "string", "enum": list(known)}
    return WithJsonSchema({"anyOf": [choice, {"title": own, "type": "string", "pattern": pattern}]})


Preset = Annotated[str, one_of(names(), "file", rf"\{ENDING}$")]


def _written(place: object) -> object:
    """A path as text; what is no path stays as it is, for others to refuse."""
    return str(place) if isinstance(place, Path) else place


StoreAddress = Annotated[str, BeforeValidator(_written)]
"""A folder, or `s3://bucket/prefix`."""


class Options(Params):
    """Settings of which only those that are set are written down."""

    @model_serializer(mode="wrap")
    def _those_that_are_set(self, serialized: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in serialized(self).items() if value is not None}


def optional(model: type[BaseModel], name: str) -> type[Options]:
    """A model with the fields of another, its limits and its words, of which each may be left out, at any depth."""
    fields: dict[str, Any] = {
        field_name: _optional_field(field_name, field, position, role=name)
        for position, (field_name, field) in enumerate(model.model_fields.items())
    }
    return create_model(name.title(), __base__=Options, __doc__=model.__doc__, **fields)


def _optional_field(name: str, field: FieldInfo, position: int, *, role: str) -> tuple[Any, Any]:
    info = Field(None, description=field.description, json_schema_extra=partial(_placed, position))
    return _type(name, field, role) | None, info


def _type(name: str, field: FieldInfo, role: str) -> Any:  # Any: types made here
    """What a field takes when it is given: a model with parts, a model's name, or what it always takes."""
    if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
        return optional(field.annotation, name)
    if role in REGISTRY and name == "name":
        return Annotated[str, one_of(REGISTRY[role], "your own", r"^[\w.]+:\w+$")]
    return Annotated[(field.annotation, *field.metadata)] if field.metadata else field.annotation


def _placed(position: int, schema: dict[str, Any]) -> None:
    """Say where in the form a field stands, and nothing of null: a form leaves out what nobody filled in."""
    schema.pop("default", None)
    given = [choice for choice in schema.pop("anyOf") if choice != {"type": "null"}]
    schema |= given[0] if len(given) == 1 else {"anyOf": given}
    schema["position"] = position


def chosen(preset: str, params: Options) -> Settings:
    """The settings of a preset, with the params that are set over it.

    Raises:
        SettingsError: there is no such preset, or something in it or in the params cannot be used.
    """
    return with_tables(preset, params.model_dump(mode="json", exclude_unset=True))


if TYPE_CHECKING:
    Overrides: TypeAlias = Options
else:
    Overrides = optional(Settings, "settings")
