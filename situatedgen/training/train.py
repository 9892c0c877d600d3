"""Train a model on a dataset; an interrupted training resumes from its last checkpoint with the same result."""

import hashlib
import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import (
    DataCollatorForSeq2Seq,
    EvalPrediction,
    PrinterCallback,
    Seq2SeqTrainer,
    TrainerCallback,
    TrainerControl,
    TrainerState,
    TrainingArguments,
)
from transformers.utils import logging

from situatedgen import extras
from situatedgen.atomic import fill_folder
from situatedgen.evaluation.metrics import scores
from situatedgen.evaluation.predictions import Example, examples_of
from situatedgen.progress import Progress, Silent
from situatedgen.training import checkpoints, curve
from situatedgen.training.curve import STEPS, Curve, points
from situatedgen.training.params import FORMATS, Machine, TrainingParams, arguments, format_input, template
from situatedgen.training.predict import LoadedModel, load_model, weights
from situatedgen.vocabulary import Split


@dataclass(frozen=True, slots=True)
class Row:
    """A training row: model input and target text."""

    source: str
    target: str


def rows(examples: Sequence[Example], template: str, *, both_orders: bool) -> list[Row]:
    """One row per example, or two with both orders of its statements, since either is right (section 6)."""
    orders = (1, -1) if both_orders else (1,)
    return [
        Row(format_input(template, example.keywords), " ".join(example.statements[::order]))
        for example in examples
        for order in orders
    ]


def digest(*parts: Sequence[Row]) -> str:
    """Digest of rows and their order."""
    texts = [[(row.source, row.target) for row in part] for part in parts]
    return hashlib.sha256(json.dumps(texts).encode("utf-8")).hexdigest()


# ruff: noqa: ARG002 (the library names what it hands over)


DEV = "dev batches"


class Watch(TrainerCallback):
    """Trainer callback that manages the checkpoints and reports progress."""

    def __init__(self, folder: Path, progress: Progress, *, save_every: int) -> None:
        self._folder = folder
        self._progress = progress
        self._save_every = save_every
        self._written = 0

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        """Report the first and the last step."""
        self._progress.start(STEPS, state.max_steps, done=state.global_step)
        if state.global_step:
            self._progress.tell(f"resuming after step {state.global_step:,} of {state.max_steps:,}")

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        """Report the step, and request a checkpoint when due; the end of an epoch has its own."""
        self._progress.advance(STEPS, 1)
        ends_epoch = state.global_step % (state.max_steps // state.num_train_epochs) == 0
        if self._save_every and state.global_step % self._save_every == 0 and not ends_epoch:
            control.should_save = True

    def on_prediction_step(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        eval_dataloader: Any = None,  # Any: the library's
        **kwargs: object,
    ) -> None:
        """Report how many dev batches are done."""
        if not self._written:
            self._progress.start(DEV, len(eval_dataloader))
        self._written += 1
        self._progress.advance(DEV, 1)

    def on_evaluate(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        """Report the results of the epoch."""
        self._written, point = 0, points(state.log_history)[-1]
        self._progress.finish(DEV)
        summary = f"loss {point.loss:.4f}, on dev {point.dev_loss:.4f}, ROUGE-2 {point.rouge_2:.2f}"
        self._progress.tell(f"epoch {point.epoch} of {round(state.num_train_epochs)}: {summary}")

    def on_save(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object) -> None:
        """Seal the new checkpoint, then delete older ones."""
        checkpoints.seal(self._folder, state.global_step)
        checkpoints.sweep(self._folder, last=state.global_step, best=state.best_global_step)


IGNORED = -100


@dataclass(frozen=True)
class Task:
    """A model to train, with its training rows, dev rows and dev examples."""

    start: LoadedModel
    train: list[Row]
    dev: list[Row]
    judged: tuple[Example, ...]
    params: TrainingParams


def train(
    model: str,
    dataset: Path,
    out: Path,
    *,
    revision: str = "",
    params: TrainingParams = TrainingParams(),  # noqa: B008 (frozen)
    machine: Machine = Machine(),  # noqa: B008 (frozen)
    progress: Progress = Silent(),  # noqa: B008 (it has no state)
) -> Curve:
    """Train a model into OUT: the best epoch in OUT/model, and the curve next to it.

    Repeating an interrupted call resumes from the last complete checkpoint; repeating a finished one does nothing.

    Raises:
        SettingsError: OUT holds something else, the dataset or a setting is invalid, or accelerate is missing.
        ModelError: the base model cannot be loaded.
        StoreError: another process is training in OUT, or it cannot be written.
    """
    extras.require("accelerate", extra="train", purpose="training")
    _silence_library()
    known = checkpoints.read_record(out)
    base = weights(model, revision or (known.revision if known and known.model == model else ""))
    start = load_model(base)
    chosen = template(params.format, FORMATS, model_type=start.kind)
    task = _make_task(start, chosen, dataset, params)
    data_digest = digest(task.train, task.dev)
    asked = checkpoints.Record(model=model, revision=base.revision, template=chosen, data=data_digest, params=params)
    with checkpoints.claim(out, asked):
        if not (out / checkpoints.MODEL).is_dir():
            _train(task, out, machine, progress)
        return curve.read(out)


def _make_task(start: LoadedModel, template: str, dataset: Path, params: TrainingParams) -> Task:
    learned, judged = examples_of(dataset, Split.TRAIN), examples_of(dataset, Split.DEV)
    train = rows(learned, template, both_orders=params.both_orders)
    return Task(start, train, rows(judged, template, both_orders=False), judged, params)


def _train(task: Task, out: Path, machine: Machine, progress: Progress) -> None:
    folder = out / checkpoints.FOLDER
    if machine.threads:
        torch.set_num_threads(machine.threads)
    trainer = _make_trainer(task, folder, machine, Watch(folder, progress, save_every=machine.save_every))
    last = checkpoints.newest(folder)
    trainer.train(resume_from_checkpoint=str(last) if last else None)
    _finish(trainer, out)


def _make_trainer(task: Task, folder: Path, machine: Machine, watch: Watch) -> Seq2SeqTrainer:
    trainer: Seq2SeqTrainer = Seq2SeqTrainer(
        model=task.start.model,
        args=arguments(task.params, machine, folder),
        data_collator=DataCollatorForSeq2Seq(task.start.tokenizer, model=task.start.model, label_pad_token_id=IGNORED),
        train_dataset=_tokenise(task.train, task),
        eval_dataset=_tokenise(task.dev, task),
        processing_class=task.start.tokenizer,
        compute_metrics=_make_metric(task),
        callbacks=[watch],
    )
    trainer.remove_callback(PrinterCallback)  # type: ignore[no-untyped-call]
    return trainer


def _finish(trainer: Seq2SeqTrainer, out: Path) -> None:
    """Write the curve and the best model, the model last and atomically, then delete the checkpoints."""
    curve.write(out, Curve(curve.points(trainer.state.log_history)))
    with fill_folder(out / checkpoints.MODEL) as partial:
        trainer.save_model(str(partial))
        (partial / "training_args.bin").unlink()
    shutil.rmtree(out / checkpoints.FOLDER)


def _tokenise(rows: Sequence[Row], task: Task) -> list[dict[str, list[int]]]:
    """Tokenise rows."""
    read = task.start.tokenizer([row.source for row in rows], max_length=task.params.max_input_tokens, truncation=True)
    written = task.start.tokenizer(
        text_target=[row.target for row in rows], max_length=task.params.max_output_tokens, truncation=True
    )
    columns = zip(read["input_ids"], read["attention_mask"], written["input_ids"], strict=True)
    return [{"input_ids": ids, "attention_mask": mask, "labels": labels} for ids, mask, labels in columns]


def _make_metric(task: Task) -> Callable[[EvalPrediction], dict[str, float]]:
    """The trainer's metric after each epoch: ROUGE-2 of the texts generated for dev."""

    def judge(answer: EvalPrediction) -> dict[str, float]:
        numbers = np.where(answer.predictions == IGNORED, task.start.tokenizer.pad_token_id, answer.predictions)
        texts = task.start.tokenizer.batch_decode(numbers, skip_special_tokens=True)
        return {curve.MEASURE: scores(texts, task.judged, ["ROUGE-2"])["ROUGE-2"].value}

    return judge


def _silence_library() -> None:
    """Silence the library's own output; progress is reported by the callback."""
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
