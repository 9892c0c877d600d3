"""Trains a model on a dataset; cut short, it resumes from the last checkpoint and ends the same."""

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
from situatedgen.training.params import FORMATS, Machine, TrainingParams, arguments, reading, template
from situatedgen.training.predict import LoadedModel, load_model, weights
from situatedgen.vocabulary import Split


@dataclass(frozen=True, slots=True)
class Row:
    """What a model reads, and what it should write."""

    source: str
    target: str


def rows(examples: Sequence[Example], template: str, *, both_orders: bool) -> list[Row]:
    """A row for each example in the order of its statements, or two, for either order is right (section 6)."""
    orders = (1, -1) if both_orders else (1,)
    return [
        Row(reading(template, example.keywords), " ".join(example.statements[::order]))
        for example in examples
        for order in orders
    ]


def digest(*parts: Sequence[Row]) -> str:
    """A digest of rows and their order."""
    told = [[(row.source, row.target) for row in part] for part in parts]
    return hashlib.sha256(json.dumps(told).encode("utf-8")).hexdigest()


# ruff: noqa: ARG002 (the library names what it hands over)


DEV = "dev batches"


class Watch(TrainerCallback):
    """Keeps the checkpoints of a training in order, and shows how it goes."""

    def __init__(self, folder: Path, progress: Progress, *, save_every: int) -> None:
        self._folder = folder
        self._progress = progress
        self._save_every = save_every
        self._written = 0

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        """Say from where to where it goes."""
        self._progress.start(STEPS, state.max_steps, done=state.global_step)
        if state.global_step:
            self._progress.tell(f"going on after step {state.global_step:,} of {state.max_steps:,}")

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        """Say so, and ask for a checkpoint when it is time; the end of an epoch has its own."""
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
        """Say how many batches of dev are written."""
        if not self._written:
            self._progress.start(DEV, len(eval_dataloader))
        self._written += 1
        self._progress.advance(DEV, 1)

    def on_evaluate(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        """Say what came of the epoch."""
        self._written, point = 0, points(state.log_history)[-1]
        self._progress.finish(DEV)
        told = f"loss {point.loss:.4f}, on dev {point.dev_loss:.4f}, ROUGE-2 {point.rouge_2:.2f}"
        self._progress.tell(f"epoch {point.epoch} of {round(state.num_train_epochs)}: {told}")

    def on_save(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object) -> None:
        """Seal the checkpoint just written, then let go of those before it."""
        checkpoints.seal(self._folder, state.global_step)
        checkpoints.sweep(self._folder, last=state.global_step, best=state.best_global_step)


IGNORED = -100


@dataclass(frozen=True)
class Task:
    """A model to train, and the rows that it learns from and is judged by."""

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
    """Train a model into OUT: its best epoch in OUT/model, and the curve beside it.

    The same call after one that was cut short goes on from its last whole checkpoint; after one that was
    finished it finds all done.

    Raises:
        SettingsError: OUT holds something else, the dataset or a setting cannot be used, or accelerate is missing.
        ModelError: the model to start from cannot be had.
        StoreError: another process trains in OUT, or it cannot be written.
    """
    extras.require("accelerate", extra="train", purpose="training")
    _quieten()
    known = checkpoints.read_record(out)
    base = weights(model, revision or (known.revision if known and known.model == model else ""))
    start = load_model(base)
    chosen = template(params.format, FORMATS, model_type=start.kind)
    task = _task(start, chosen, dataset, params)
    told = digest(task.train, task.dev)
    asked = checkpoints.Record(model=model, revision=base.revision, template=chosen, data=told, params=params)
    with checkpoints.claim(out, asked):
        if not (out / checkpoints.MODEL).is_dir():
            _train(task, out, machine, progress)
        return curve.read(out)


def _task(start: LoadedModel, template: str, dataset: Path, params: TrainingParams) -> Task:
    learned, judged = examples_of(dataset, Split.TRAIN), examples_of(dataset, Split.DEV)
    train = rows(learned, template, both_orders=params.both_orders)
    return Task(start, train, rows(judged, template, both_orders=False), judged, params)


def _train(task: Task, out: Path, machine: Machine, progress: Progress) -> None:
    folder = out / checkpoints.FOLDER
    if machine.threads:
        torch.set_num_threads(machine.threads)
    trainer = _trainer(task, folder, machine, Watch(folder, progress, save_every=machine.save_every))
    last = checkpoints.newest(folder)
    trainer.train(resume_from_checkpoint=str(last) if last else None)
    _finish(trainer, out)


def _trainer(task: Task, folder: Path, machine: Machine, watch: Watch) -> Seq2SeqTrainer:
    trainer: Seq2SeqTrainer = Seq2SeqTrainer(
        model=task.start.model,
        args=arguments(task.params, machine, folder),
        data_collator=DataCollatorForSeq2Seq(task.start.tokenizer, model=task.start.model, label_pad_token_id=IGNORED),
        train_dataset=_encoded(task.train, task),
        eval_dataset=_encoded(task.dev, task),
        processing_class=task.start.tokenizer,
        compute_metrics=_judge(task),
        callbacks=[watch],
    )
    trainer.remove_callback(PrinterCallback)  # type: ignore[no-untyped-call]
    return trainer


def _finish(trainer: Seq2SeqTrainer, out: Path) -> None:
    """Put the curve and the best model in place, the model last and whole; then the checkpoints can go."""
    curve.write(out, Curve(curve.points(trainer.state.log_history)))
    with fill_folder(out / checkpoints.MODEL) as partial:
        trainer.save_model(str(partial))
        (partial / "training_args.bin").unlink()
    shutil.rmtree(out / checkpoints.FOLDER)


def _encoded(rows: Sequence[Row], task: Task) -> list[dict[str, list[int]]]:
    """The rows in the numbers of the tokeniser."""
    read = task.start.tokenizer([row.source for row in rows], max_length=task.params.max_input_tokens, truncation=True)
    written = task.start.tokenizer(
        text_target=[row.target for row in rows], max_length=task.params.max_output_tokens, truncation=True
    )
    columns = zip(read["input_ids"], read["attention_mask"], written["input_ids"], strict=True)
    return [{"input_ids": ids, "attention_mask": mask, "labels": labels} for ids, mask, labels in columns]


def _judge(task: Task) -> Callable[[EvalPrediction], dict[str, float]]:
    """What the trainer asks after each epoch: ROUGE-2 of what was written for dev."""

    def judge(answer: EvalPrediction) -> dict[str, float]:
        numbers = np.where(answer.predictions == IGNORED, task.start.tokenizer.pad_token_id, answer.predictions)
        texts = task.start.tokenizer.batch_decode(numbers, skip_special_tokens=True)
        return {curve.MEASURE: scores(texts, task.judged, ["ROUGE-2"])["ROUGE-2"].value}

    return judge


def _quieten() -> None:
    """Leave it to the progress to show how it goes."""
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
