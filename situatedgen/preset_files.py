"""The files of the presets: how they are found, and what they state over those they extend."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from situatedgen.errors import SettingsError, unknown

SHIPPED = Path(__file__).parent / "presets"
ENDING = ".toml"
DEFAULT = "embedded"
Table = dict[str, Any]  # Any: parsed TOML


@cache
def stated(stage: str, param: str) -> Any:  # Any: parsed TOML
    """What the default preset states of a param, which is also what it is when nobody sets it."""
    return extended(SHIPPED / f"{DEFAULT}{ENDING}")[stage][param]


def names() -> tuple[str, ...]:
    """The presets that ship with the package."""
    return tuple(sorted(path.stem for path in SHIPPED.glob(f"*{ENDING}")))


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


def extended(path: Path, seen: tuple[Path, ...] = ()) -> Table:
    """The tables of a preset over those of the preset it extends.

    Raises:
        SettingsError: a file cannot be read, or they extend one another in a circle.
    """
    if path.resolve() in seen:
        raise SettingsError(f"preset {path} extends itself, by way of {', '.join(map(str, seen))}")
    values = dict(tables(path))
    parent = values.pop("extends", None)
    if parent is None:
        return values
    if not isinstance(parent, str):
        raise SettingsError(f"preset {path}: expected `extends` to name a preset, found {parent!r}")
    return merged(extended(find(parent, path.parent), (*seen, path.resolve())), values)


def tables(path: Path) -> Table:
    """What a preset file itself states.

    Raises:
        SettingsError: it cannot be read.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"preset {path} cannot be read as TOML: {error}") from error


def merged(below: Table, above: Table) -> Table:
    """Tables set over tables. A model of another name does not inherit the weights of the one below."""
    if above.get("name", below.get("name")) != below.get("name"):
        return above
    both = {name: merged(below[name], above[name]) for name in below if _are_tables(below, above, name)}
    return {**below, **above, **both}


def _are_tables(below: Table, above: Table, name: str) -> bool:
    return isinstance(below[name], dict) and isinstance(above.get(name), dict)
