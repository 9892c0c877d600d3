"""A training's settings as the library takes them."""

from pathlib import Path

import torch
from transformers import Seq2SeqTrainingArguments

from situatedgen.errors import SettingsError
from situatedgen.models.weights import choose
from situatedgen.training.curve import MEASURE
from situatedgen.training.params import Machine, TrainingParams


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
