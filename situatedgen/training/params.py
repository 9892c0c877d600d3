"""Training settings, with the paper's as defaults, and the hardware settings."""

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
    """Resolve a template setting; `auto` describes the task only to models of the T5 family (section 6).

    Example:
        >>> template("auto", {"bart": "{keywords}", "t5": "write: {keywords}"}, model_type="mt5")
        'write: {keywords}'
    """
    if chosen == AUTO:
        return formats[DESCRIBED if DESCRIBED in model_type else PLAIN]
    return formats.get(chosen, chosen)


def format_input(template: str, keywords: Sequence[str]) -> str:
    """The model input for keywords, which may contain braces themselves.

    Example:
        >>> format_input("generate two sentences with: {keywords}", ["July", "China"])
        'generate two sentences with: July, China'
    """
    return template.replace(SLOT, KEYWORD_SEPARATOR.join(keywords))


Table = dict[str, Any]  # Any: parsed TOML


@cache
def _paper_settings() -> Table:
    return tomllib.loads(read_text("training.toml"))


FORMATS: dict[str, str] = _paper_settings()["formats"]


class TrainingParams(Params):
    """Everything besides data and base model that determines the trained model."""

    epochs: int = Field(_paper_settings()["epochs"], ge=1, description="Passes over the training rows.")
    batch_size: int = Field(_paper_settings()["batch_size"], ge=1, description="Rows per step.")
    learning_rate: float = Field(
        _paper_settings()["learning_rate"], gt=0, description="Peak learning rate; it decays to zero."
    )
    warmup_steps: int = Field(
        _paper_settings()["warmup_steps"], ge=0, description="Steps over which the learning rate rises."
    )
    max_input_tokens: int = Field(
        _paper_settings()["max_input_tokens"], ge=1, description="Longer inputs are truncated."
    )
    max_output_tokens: int = Field(
        _paper_settings()["max_output_tokens"], ge=2, description="Longer outputs are truncated."
    )
    beams: int = Field(_paper_settings()["beams"], ge=1, description="Beam size of the generation.")
    both_orders: bool = Field(_paper_settings()["both_orders"], description="Train on both orders of each pair.")
    format: str = Field(
        _paper_settings()["format"],
        description=f"Input template: auto, {', '.join(FORMATS)}, or a text with {SLOT}.",
    )
    seed: int = Field(_paper_settings()["seed"], ge=0, description="Seed of the row order and of dropout.")

    @field_validator("format")
    @classmethod
    def _is_a_format(cls, text: str) -> str:
        if text not in (AUTO, *FORMATS) and SLOT not in text:
            raise ValueError(f"{text!r} is neither one of {', '.join((AUTO, *FORMATS))} nor a text with {SLOT}")
        return text


class Machine(Params):
    """Where and how a model is trained; meant not to affect the resulting model."""

    device: Literal["auto", "cpu", "cuda", "mps"] = Field("auto", description="Where the model runs.")
    precision: Literal["auto", "float32", "bfloat16"] = Field(
        "auto", description="Floating-point format; auto uses bfloat16 on a GPU that supports it."
    )
    rows_at_once: int = Field(0, ge=0, description="Maximum number of rows in memory at once; 0: the whole batch.")
    save_every: int = Field(0, ge=0, description="Steps between checkpoints within an epoch; 0: only at its end.")
    threads: int = Field(0, ge=0, description="Threads for numeric libraries; 0: their default.")


def training_params(file: Path | None = None, overrides: Sequence[str] = ()) -> TrainingParams:
    """The paper's settings, overridden by a TOML file and then by single settings (`epochs=3`).

    Raises:
        SettingsError: the file cannot be read, or it or an override is invalid.
    """
    values = {**(_read_toml(file) if file else {}), **dict(map(_parse_override, overrides))}
    try:
        return TrainingParams.model_validate(values)
    except ValidationError as error:
        raise _to_settings_error(error) from error


def _read_toml(file: Path) -> Table:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"training settings {file} cannot be read as TOML: {error}") from error


def _parse_override(override: str) -> tuple[str, str]:
    name, equals, value = override.partition("=")
    if not equals or not name.strip():
        raise SettingsError(f"invalid override {override!r}; expected `setting=value`, for example `epochs=3`")
    return name.strip(), value.strip()


def _to_settings_error(error: ValidationError) -> SettingsError:
    problems = error.errors(include_url=False)
    for problem in problems:
        if problem["type"] == "extra_forbidden":
            return unknown("training setting", str(problem["loc"][0]), TrainingParams.model_fields)
    messages = (f"{'.'.join(map(str, each['loc']))}: {each['msg']}, found {each['input']!r:.80}" for each in problems)
    return SettingsError("; ".join(messages))


def arguments(params: TrainingParams, machine: Machine, checkpoints: Path) -> Seq2SeqTrainingArguments:
    """Arguments for the trainer: a checkpoint and dev ROUGE-2 every epoch, and the best checkpoint at the end.

    Raises:
        SettingsError: the device is not available, or the batch cannot be divided among the devices.
    """
    device = choose(machine.device)
    share = _rows_per_step(params.batch_size, machine.rows_at_once, device)
    return Seq2SeqTrainingArguments(
        output_dir=str(checkpoints),
        num_train_epochs=params.epochs,
        per_device_train_batch_size=share,
        per_device_eval_batch_size=share,
        gradient_accumulation_steps=params.batch_size // (share * _device_count(device)),
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
    """Whether to compute in bfloat16: if requested, or with `auto` on a GPU that supports it natively."""
    if machine.precision == "auto":
        return device.type == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)
    return machine.precision == "bfloat16"


def _device_count(device: torch.device) -> int:
    return torch.cuda.device_count() if device.type == "cuda" else 1


def _rows_per_step(batch_size: int, at_once: int, device: torch.device) -> int:
    """Rows per device and step: the largest number within the limit that divides the device's batch evenly."""
    devices = _device_count(device)
    if batch_size % devices:
        raise SettingsError(
            f"a batch of {batch_size} cannot be divided among {devices} devices; set CUDA_VISIBLE_DEVICES to fewer"
        )
    each = batch_size // devices
    return max(rows for rows in range(1, min(at_once or each, each) + 1) if each % rows == 0)
