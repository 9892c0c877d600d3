"""Presets: the settings of a whole build in a TOML file, and how they are found, extended and overridden."""

import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from situatedgen.errors import SettingsError, unknown
from situatedgen.overrides import Table, nested
from situatedgen.settings import ROLES, Settings, validated

__all__ = ["Settings", "load", "names"]

SHIPPED = Path(__file__).parent / "presets"
ENDING = ".toml"


def names() -> tuple[str, ...]:
    """The presets that ship with the package."""
    return tuple(sorted(path.stem for path in SHIPPED.glob(f"*{ENDING}")))


def load(name_or_path: str, overrides: Sequence[str] = ()) -> Settings:
    """The settings of a preset, a shipped one by name or a TOML file by path, with overrides set over it.

    Raises:
        SettingsError: there is no such preset, or something in it or in the overrides cannot be used.
    """
    values = _extended(find(name_or_path), ())
    return validated(_with_weights(_merged(values, nested(overrides))))


def find(name_or_path: str, beside: Path | None = None) -> Path:
    """The file of a preset; a path is looked for from the working folder, or beside another preset.

    Raises:
        SettingsError: there is no such preset.
    """
    if name_or_path.endswith(ENDING):
        path = (beside or Path()) / name_or_path
        if not path.is_file():
            raise SettingsError(f"preset file {path} does not exist; shipped presets: {', '.join(names())}")
        return path
    if name_or_path not in names():
        raise unknown("preset", name_or_path, names())
    return SHIPPED / f"{name_or_path}{ENDING}"


def _extended(path: Path, seen: tuple[Path, ...]) -> Table:
    """The tables of a preset over those of the preset it extends."""
    if path.resolve() in seen:
        raise SettingsError(f"preset {path} extends itself, by way of {', '.join(map(str, seen))}")
    values = dict(_tables(path))
    parent = values.pop("extends", None)
    if parent is None:
        return values
    if not isinstance(parent, str):
        raise SettingsError(f"preset {path}: expected `extends` to name a preset, found {parent!r}")
    return _merged(_extended(find(parent, path.parent), (*seen, path.resolve())), values)


def _tables(path: Path) -> Table:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"preset {path} cannot be read as TOML: {error}") from error


def _merged(below: Table, above: Table) -> Table:
    """Tables set over tables. A model of another name does not inherit the weights of the one below."""
    if above.get("name", below.get("name")) != below.get("name"):
        return above
    both = {name: _merged(below[name], above[name]) for name in below if _are_tables(below, above, name)}
    return {**below, **above, **both}


def _are_tables(below: Table, above: Table, name: str) -> bool:
    return isinstance(below[name], dict) and isinstance(above.get(name), dict)


def _with_weights(values: Table) -> Table:
    """The values, in which a model that a shipped preset names brings its weights along."""
    known = _known_models()
    filled = dict(values)
    for stage, role in ROLES.items():
        table = values.get(stage)
        if isinstance(table, dict) and _is_bare(table.get(role)):
            filled[stage] = {**table, role: known.get(str(table[role]["name"]), table[role])}
    return filled


def _is_bare(model: object) -> bool:
    return isinstance(model, dict) and list(model) == ["name"]


@cache
def _known_models() -> dict[str, Table]:
    """The models of the shipped presets, by name."""
    shipped = [_tables(SHIPPED / f"{name}{ENDING}") for name in names()]
    models = [table.get(stage, {}).get(role, {}) for table in shipped for stage, role in ROLES.items()]
    return {model["name"]: model for model in models if "name" in model}
