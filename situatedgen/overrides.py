"""Single settings set over a preset: `pairs.min_similarity=0.78`."""

import tomllib
from collections.abc import Sequence
from types import UnionType

from pydantic import BaseModel

from situatedgen.errors import SettingsError
from situatedgen.preset_files import Table
from situatedgen.settings import Settings, field_type


def nested(overrides: Sequence[str], of: type[BaseModel] = Settings) -> Table:
    """Overrides of settings as the tables of a preset; of two for the same setting the last one stands.

    Raises:
        SettingsError: one is not of the form `name.name=value`, or names no setting.
    """
    tables: Table = {}
    for override in overrides:
        path, value = _parsed(override, of)
        table = tables
        for name in path[:-1]:
            table = table.setdefault(name, {})
        table[path[-1]] = value
    return tables


def _parsed(override: str, of: type[BaseModel]) -> tuple[tuple[str, ...], object]:
    name, equals, text = override.partition("=")
    path = tuple(part.strip() for part in name.split("."))
    if not equals or not all(path):
        raise SettingsError(f"{override!r} sets nothing; expected `stage.param=value`")
    expected = field_type(path, of)
    if getattr(expected, "model_fields", None):
        names = ", ".join(f"{name.strip()}.{inner}" for inner in expected.model_fields)  # type: ignore[attr-defined]
        raise SettingsError(f"{name.strip()} has parts; set one of them: {names}")
    return path, _value(text.strip(), expected)


def _value(text: str, expected: type | UnionType | object) -> object:
    """A value in TOML's syntax; bare words are text, and so is whatever a text is expected for."""
    if expected is str and not text.startswith(('"', "'")):
        return text
    try:
        tables = tomllib.loads(f"value = {text}")
    except tomllib.TOMLDecodeError:
        return text
    return tables["value"] if list(tables) == ["value"] else text
