"""What a form says of a setting: what it means, its limits, and what the presets say."""

from dataclasses import dataclass
from functools import cache

from pydantic import BaseModel, GetJsonSchemaHandler
from pydantic.fields import FieldInfo
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from situatedgen.preset_files import names
from situatedgen.presets import load

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
