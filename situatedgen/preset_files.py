"""Preset files: find them, read them, and merge each into the preset it extends."""

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
def default_value(stage: str, param: str) -> Any:  # Any: parsed TOML
    """Value of a param in the default preset, which is also the param's default value."""
    return read_extended(SHIPPED / f"{DEFAULT}{ENDING}")[stage][param]


def names() -> tuple[str, ...]:
    """Names of the presets that ship with the package, sorted."""
    return tuple(sorted(path.stem for path in SHIPPED.glob(f"*{ENDING}")))


def find(name_or_path: str, beside: Path | None = None) -> Path:
    """Find the file of a preset; a path is relative to the working directory, or to `beside` if given.

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


def read_extended(path: Path, seen: tuple[Path, ...] = ()) -> Table:
    """Read a preset and merge it into the preset it extends, recursively.

    Raises:
        SettingsError: a file cannot be read, or the presets extend each other in a cycle.
    """
    if path.resolve() in seen:
        raise SettingsError(f"preset {path} extends itself via {', '.join(map(str, seen))}")
    values = dict(tables(path))
    parent = values.pop("extends", None)
    if parent is None:
        return values
    if not isinstance(parent, str):
        raise SettingsError(f"preset {path}: expected `extends` to name a preset, found {parent!r}")
    return merge_tables(read_extended(find(parent, path.parent), (*seen, path.resolve())), values)


def tables(path: Path) -> Table:
    """Parse a single preset file, ignoring what it extends.

    Raises:
        SettingsError: it cannot be read.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"preset {path} cannot be read as TOML: {error}") from error


def merge_tables(below: Table, above: Table) -> Table:
    """Merge `above` into `below`; a model with a different name does not inherit the weights of the one below."""
    if above.get("name", below.get("name")) != below.get("name"):
        return above
    both = {name: merge_tables(below[name], above[name]) for name in below if _are_tables(below, above, name)}
    return {**below, **above, **both}


def _are_tables(below: Table, above: Table, name: str) -> bool:
    return isinstance(below[name], dict) and isinstance(above.get(name), dict)
