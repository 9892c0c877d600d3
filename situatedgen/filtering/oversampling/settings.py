"""All settings of an oversampling in one table, as a TOML file or single ones set them."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import Field, ValidationError

from situatedgen.errors import SettingsError
from situatedgen.filtering.oversampling.params import (
    EndingCommitteeParams,
    EndingParams,
    RowParams,
    SamplingParams,
    WriterParams,
)
from situatedgen.filtering.params import FilterParams
from situatedgen.params import Params
from situatedgen.preset_files import merged, tables
from situatedgen.presets import nested


class OversampleSettings(Params):
    """What becomes a row, who writes endings and how, which stay, and how they are filtered when that is asked."""

    rows: RowParams = RowParams()
    writer: WriterParams = WriterParams()
    sampling: SamplingParams = SamplingParams()
    endings: EndingParams = EndingParams()
    filter: FilterParams = FilterParams()
    committee: EndingCommitteeParams = EndingCommitteeParams()
    audits: int = Field(3, ge=1, description="Fresh splits over which accuracy before and after is measured.")


def oversample_settings(file: Path | None = None, overrides: Sequence[str] = ()) -> OversampleSettings:
    """The defaults, with those of a TOML file over them, and single ones (`writer.size=128`) over both.

    Raises:
        SettingsError: the file cannot be read, or something in it or in the overrides cannot be used.
    """
    values = merged(tables(file) if file else {}, nested(overrides, OversampleSettings))
    try:
        return OversampleSettings.model_validate(values)
    except ValidationError as error:
        told = (f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors(include_url=False))
        raise SettingsError(f"settings of the oversampling: {'; '.join(told)}") from error
