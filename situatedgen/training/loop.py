"""Trains a model on a dataset; cut short, it goes on from the last checkpoint and ends the same."""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from transformers import DataCollatorForSeq2Seq, EvalPrediction, PrinterCallback, Seq2SeqTrainer
from transformers.utils import logging

from situatedgen import extras
from situatedgen.atomic import fill_folder
from situatedgen.evaluation.examples import Example, examples_of
from situatedgen.evaluation.metrics import scores
from situatedgen.progress import Progress, Silent
from situatedgen.training import checkpoints, curve, record
from situatedgen.training.arguments import arguments
from situatedgen.training.curve import Curve
from situatedgen.training.formats import template
from situatedgen.training.loading import Loaded, loaded
from situatedgen.training.params import FORMATS, Machine, TrainingParams
from situatedgen.training.rows import Row, digest, rows
from situatedgen.training.watching import Watch
from situatedgen.training.weights import weights
from situatedgen.vocabulary import Split

IGNORED = -100


@dataclass(frozen=True)
class Task:
    """A model to train, and the rows that it learns from and is judged by."""

    start: Loaded
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
    known = record.read(out)
    base = weights(model, revision or (known.revision if known and known.model == model else ""))
    start = loaded(base)
    chosen = template(params.format, FORMATS, model_type=start.kind)
    task = _task(start, chosen, dataset, params)
    told = digest(task.train, task.dev)
    asked = record.Record(model=model, revision=base.revision, template=chosen, data=told, params=params)
    with record.claimed(out, asked):
        if not (out / record.MODEL).is_dir():
            _train(task, out, machine, progress)
        return curve.read(out)


def _task(start: Loaded, template: str, dataset: Path, params: TrainingParams) -> Task:
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
    with fill_folder(out / record.MODEL) as partial:
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
