"""How a model is trained, with the paper's settings as defaults; and the machine that does it."""

import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError, field_validator

from situatedgen.errors import SettingsError, unknown
from situatedgen.params import Params
from situatedgen.resources import read_text
from situatedgen.training.formats import AUTO, SLOT

Table = dict[str, Any]  # Any: parsed TOML


@cache
def _paper() -> Table:
    return tomllib.loads(read_text("training.toml"))


FORMATS: dict[str, str] = _paper()["formats"]


class TrainingParams(Params):
    """All that decides, with the data and the model to start from, what a training makes."""

    epochs: int = Field(_paper()["epochs"], ge=1, description="How often the training rows are read.")
    batch_size: int = Field(_paper()["batch_size"], ge=1, description="Rows a step.")
    learning_rate: float = Field(_paper()["learning_rate"], gt=0, description="The highest rate; it falls to zero.")
    warmup_steps: int = Field(_paper()["warmup_steps"], ge=0, description="Steps over which the rate rises.")
    max_input_tokens: int = Field(_paper()["max_input_tokens"], ge=1, description="Longer inputs are cut.")
    max_output_tokens: int = Field(_paper()["max_output_tokens"], ge=2, description="Longer outputs are cut.")
    beams: int = Field(_paper()["beams"], ge=1, description="Beams of the search when sentences are written.")
    both_orders: bool = Field(_paper()["both_orders"], description="Read each pair in both orders.")
    format: str = Field(
        _paper()["format"], description=f"What the model reads: auto, {', '.join(FORMATS)}, or a text with {SLOT}."
    )
    seed: int = Field(_paper()["seed"], ge=0, description="Seed of the order of the rows, and of dropout.")

    @field_validator("format")
    @classmethod
    def _is_a_format(cls, text: str) -> str:
        if text not in (AUTO, *FORMATS) and SLOT not in text:
            raise ValueError(f"{text!r} is none of {', '.join((AUTO, *FORMATS))}, and a text without {SLOT}")
        return text


class Machine(Params):
    """Where and how a model is trained; the model that comes out is meant to be the same."""

    device: Literal["auto", "cpu", "cuda", "mps"] = Field("auto", description="Where the model runs.")
    precision: Literal["auto", "float32", "bfloat16"] = Field(
        "auto", description="Numbers of the computation; auto takes bfloat16 on a GPU that has it."
    )
    rows_at_once: int = Field(0, ge=0, description="At most so many rows in memory at once; 0: the whole batch.")
    save_every: int = Field(0, ge=0, description="Steps between checkpoints within an epoch; 0: at its end alone.")
    threads: int = Field(0, ge=0, description="Threads for numeric libraries; 0 leaves their default.")


def training_params(file: Path | None = None, overrides: Sequence[str] = ()) -> TrainingParams:
    """The paper's settings, with those of a TOML file over them, and single ones (`epochs=3`) over both.

    Raises:
        SettingsError: the file cannot be read, or something in it or in the overrides cannot be used.
    """
    values = {**(_table(file) if file else {}), **dict(map(_parsed, overrides))}
    try:
        return TrainingParams.model_validate(values)
    except ValidationError as error:
        raise _explained(error) from error


def _table(file: Path) -> Table:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"training settings {file} cannot be read as TOML: {error}") from error


def _parsed(override: str) -> tuple[str, str]:
    name, equals, value = override.partition("=")
    if not equals or not name.strip():
        raise SettingsError(f"{override!r} sets nothing; expected `setting=value`, for example `epochs=3`")
    return name.strip(), value.strip()


def _explained(error: ValidationError) -> SettingsError:
    problems = error.errors(include_url=False)
    for problem in problems:
        if problem["type"] == "extra_forbidden":
            return unknown("training setting", str(problem["loc"][0]), TrainingParams.model_fields)
    told = (f"{'.'.join(map(str, each['loc']))}: {each['msg']}, found {each['input']!r:.80}" for each in problems)
    return SettingsError("; ".join(told))
