"""Settings of a training, with the paper's as defaults; and the machine that does it."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

import torch
from pydantic import Field, ValidationError, field_validator
from transformers import Seq2SeqTrainingArguments

from situatedgen.dataset.configuration import KEYWORD_SEPARATOR
from situatedgen.errors import SettingsError, unknown
from situatedgen.models.weights import choose
from situatedgen.params import Params
from situatedgen.resources import read_text
from situatedgen.training.curve import MEASURE

SLOT = "{keywords}"
AUTO = "auto"
DESCRIBED = "t5"
PLAIN = "bart"


def template(chosen: str, formats: Mapping[str, str], *, model_type: str) -> str:
    """The template that a setting names; `auto` describes the task to models of the T5 family alone (section 6).

    Example:
        >>> template("auto", {"bart": "{keywords}", "t5": "write: {keywords}"}, model_type="mt5")
        'write: {keywords}'
    """
    if chosen == AUTO:
        return formats[DESCRIBED if DESCRIBED in model_type else PLAIN]
    return formats.get(chosen, chosen)


def reading(template: str, keywords: Sequence[str]) -> str:
    """What a model reads of keywords, which may hold braces of their own.

    Example:
        >>> reading("generate two sentences with: {keywords}", ["July", "China"])
        'generate two sentences with: July, China'
    """
    return template.replace(SLOT, KEYWORD_SEPARATOR.join(keywords))


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


def arguments(params: TrainingParams, machine: Machine, checkpoints: Path) -> Seq2SeqTrainingArguments:
    """The library's arguments: a checkpoint and ROUGE-2 of dev every epoch, and the best of them at the end.

    Raises:
        SettingsError: the device is not there, or the batch cannot be shared by the devices.
    """
    device = choose(machine.device)
    share = _share(params.batch_size, machine.rows_at_once, device)
    return Seq2SeqTrainingArguments(
        output_dir=str(checkpoints),
        num_train_epochs=params.epochs,
        per_device_train_batch_size=share,
        per_device_eval_batch_size=share,
        gradient_accumulation_steps=params.batch_size // (share * _devices(device)),
        learning_rate=params.learning_rate,
        warmup_steps=params.warmup_steps,
        seed=params.seed,
        predict_with_generate=True,
        generation_num_beams=params.beams,
        generation_max_length=params.max_output_tokens,
        eval_strategy="epoch",
        save_strategy="epoch",
        load_best_model_at_end=True,
        metric_for_best_model=MEASURE,
        greater_is_better=True,
        logging_strategy="steps",
        logging_steps=1,
        bf16=in_bfloat16(machine, device),
        use_cpu=device.type == "cpu",
        dataloader_pin_memory=device.type == "cuda",
        remove_unused_columns=False,
        disable_tqdm=True,
        report_to="none",
    )


def in_bfloat16(machine: Machine, device: torch.device) -> bool:
    """Whether to compute in bfloat16: when asked to, or when left free on a GPU that is made for it."""
    if machine.precision == "auto":
        return device.type == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)
    return machine.precision == "bfloat16"


def _devices(device: torch.device) -> int:
    return torch.cuda.device_count() if device.type == "cuda" else 1


def _share(batch_size: int, at_once: int, device: torch.device) -> int:
    """How many rows of a batch a device takes at once: the most that share it evenly."""
    devices = _devices(device)
    if batch_size % devices:
        raise SettingsError(
            f"a batch of {batch_size} cannot be shared by {devices} devices; set CUDA_VISIBLE_DEVICES to fewer"
        )
    each = batch_size // devices
    return max(rows for rows in range(1, min(at_once or each, each) + 1) if each % rows == 0)
