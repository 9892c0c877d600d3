"""Presets: the settings of a whole build in a TOML file, with overrides set over them."""

from collections.abc import Sequence
from functools import cache

from situatedgen.overrides import nested
from situatedgen.preset_files import ENDING, SHIPPED, Table, extended, find, merged, names, tables
from situatedgen.settings import ROLES, Settings, validated

__all__ = ["Settings", "load", "names", "with_tables"]


def load(name_or_path: str, overrides: Sequence[str] = ()) -> Settings:
    """The settings of a preset, a shipped one by name or a TOML file by path, with overrides set over it.

    Raises:
        SettingsError: there is no such preset, or something in it or in the overrides cannot be used.
    """
    return with_tables(name_or_path, nested(overrides))


def with_tables(name_or_path: str, above: Table) -> Settings:
    """The settings of a preset with tables set over it, as another preset would state them.

    Raises:
        SettingsError: there is no such preset, or something in it or in the tables cannot be used.
    """
    return validated(_with_weights(merged(extended(find(name_or_path)), above)))


def _with_weights(values: Table) -> Table:
    """The values, in which a model that a shipped preset names brings its weights along."""
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
