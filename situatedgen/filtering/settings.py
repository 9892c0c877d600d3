"""All settings of a filtering in one table, as a TOML file or single ones set them."""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from situatedgen.errors import SettingsError
from situatedgen.filtering.aflite import AfliteParams
from situatedgen.filtering.baselines.params import BaselineParams
from situatedgen.filtering.choice.params import ChoiceParams
from situatedgen.filtering.committee.params import CommitteeParams
from situatedgen.filtering.params import FilterParams
from situatedgen.params import Params

Table = dict[str, Any]  # Any: parsed TOML


class FilterSettings(Params):
    """What is asked, how it is filtered, and by whom."""

    method: Literal["af", "aflite"] = Field("af", description="Adversarial filtering, or AFLite.")
    choice: ChoiceParams = ChoiceParams()
    filter: FilterParams = FilterParams()
    committee: CommitteeParams = CommitteeParams()
    aflite: AfliteParams = AfliteParams()
    baselines: BaselineParams = BaselineParams()
    audits: int = Field(2, ge=1, description="Times that every question is held out when accuracy is measured.")


def filter_settings(method: str, file: Path | None = None, overrides: Sequence[str] = ()) -> FilterSettings:
    """The defaults, with those of a TOML file over them, and single ones (`filter.patience=5`) over both.

    Raises:
        SettingsError: the file cannot be read, or something in it or in the overrides cannot be used.
    """
    values = _table(file) if file else {}
    for override in overrides:
        _set(values, override)
    try:
        return FilterSettings.model_validate({**values, "method": method})
    except ValidationError as error:
        told = (f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors(include_url=False))
        raise SettingsError(f"settings of the filter: {'; '.join(told)}") from error


def _table(file: Path) -> Table:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"settings {file} cannot be read as TOML: {error}") from error


def _set(values: Table, override: str) -> None:
    name, equals, text = override.partition("=")
    path = [part.strip() for part in name.split(".")]
    if not equals or not all(path):
        raise SettingsError(f"{override!r} sets nothing; expected `table.setting=value`, such as `filter.patience=5`")
    for part in path[:-1]:
        values = values.setdefault(part, {})
        if not isinstance(values, dict):
            raise SettingsError(f"{override!r}: {part} is a value and has no settings")
    values[path[-1]] = _value(text.strip())


def _value(text: str) -> object:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
