"""Build settings from a preset and the user's overrides."""

import tomllib
from collections.abc import Sequence
from functools import cache
from types import UnionType

from pydantic import BaseModel

from situatedgen.errors import SettingsError
from situatedgen.preset_files import ENDING, SHIPPED, Table, find, merge_tables, names, read_extended, tables
from situatedgen.settings import ROLES, Settings, field_type, validate


def nest_overrides(overrides: Sequence[str], of: type[BaseModel] = Settings) -> Table:
    """Parse overrides into the nested tables of a preset; the last override of a setting wins.

    Raises:
        SettingsError: an override does not have the form `name.name=value`, or names no setting.
    """
    tables: Table = {}
    for override in overrides:
        path, value = _parse_override(override, of)
        table = tables
        for name in path[:-1]:
            table = table.setdefault(name, {})
        table[path[-1]] = value
    return tables


def _parse_override(override: str, of: type[BaseModel]) -> tuple[tuple[str, ...], object]:
    name, equals, text = override.partition("=")
    path = tuple(part.strip() for part in name.split("."))
    if not equals or not all(path):
        raise SettingsError(f"invalid override {override!r}; expected `stage.param=value`")
    expected = field_type(path, of)
    if getattr(expected, "model_fields", None):
        names = ", ".join(f"{name.strip()}.{inner}" for inner in expected.model_fields)  # type: ignore[attr-defined]
        raise SettingsError(f"{name.strip()} is not a single value; set one of: {names}")
    return path, _parse_value(text.strip(), expected)


def _parse_value(text: str, expected: type | UnionType | object) -> object:
    """Parse a TOML value; bare words, and unquoted values of text settings, are taken as text."""
    if expected is str and not text.startswith(('"', "'")):
        return text
    try:
        tables = tomllib.loads(f"value = {text}")
    except tomllib.TOMLDecodeError:
        return text
    return tables["value"] if list(tables) == ["value"] else text


__all__ = ["Settings", "load", "names", "with_tables"]


def load(name_or_path: str, overrides: Sequence[str] = ()) -> Settings:
    """Load a preset, either a shipped one by name or a TOML file by path, and apply overrides.

    Raises:
        SettingsError: there is no such preset, or the preset or an override is invalid.
    """
    return with_tables(name_or_path, nest_overrides(overrides))


def with_tables(name_or_path: str, above: Table) -> Settings:
    """Load a preset and merge nested tables into it, as an extending preset would.

    Raises:
        SettingsError: there is no such preset, or the preset or a table is invalid.
    """
    return validate(_with_weights(merge_tables(read_extended(find(name_or_path)), above)))


def _with_weights(values: Table) -> Table:
    """Fill in weights and revision for models given by name only, if a shipped preset defines them."""
    known = _known_models()
    filled = dict(values)
    for stage, role in ROLES.items():
        table = values.get(stage)
        if isinstance(table, dict) and _is_bare(table.get(role)):
            filled[stage] = {**table, role: known.get((role, str(table[role]["name"])), table[role])}
    return filled


def _is_bare(model: object) -> bool:
    return isinstance(model, dict) and list(model) == ["name"]


@cache
def _known_models() -> dict[tuple[str, str], Table]:
    """The models of the shipped presets, by role and name."""
    shipped = [tables(SHIPPED / f"{name}{ENDING}") for name in names()]
    models = [(role, table.get(stage, {}).get(role, {})) for table in shipped for stage, role in ROLES.items()]
    return {(role, model["name"]): model for role, model in models if "name" in model}
