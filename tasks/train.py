"""Tasks of a trained baseline: train it, write its predictions, and report its learning curve."""

import logging
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import cast
from uuid import UUID

import httpx
from prefect import get_run_logger, task
from prefect.artifacts import create_progress_artifact, create_table_artifact, update_progress_artifact
from prefect.cache_policies import NO_CACHE

from situatedgen.evaluation.predictions import examples_of, write_predictions
from situatedgen.training.curve import STEPS, Curve
from situatedgen.training.params import Machine, TrainingParams

log = logging.getLogger(__name__)

EVERY = 2.0
"""Seconds between two progress updates."""


class ProgressArtifact:
    """Shows training steps as a progress artifact, and logs the result of each epoch."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._done, self._total = 0, 1
        self._shown = clock()
        self._artifact: UUID | None = None

    def start(self, name: str, total: int | None, done: int = 0) -> None:
        """Show the initial progress of the training steps; dev batches are part of an epoch and not shown."""
        if name == STEPS:
            self._done, self._total = done, total or 1
            self._show()

    def advance(self, name: str, steps: int, note: str = "") -> None:  # noqa: ARG002 (no note is shown)
        """Update the progress at most every `EVERY` seconds, and at the end."""
        if name == STEPS:
            self._done += steps
            if self._done == self._total or self._clock() - self._shown >= EVERY:
                self._show()

    def tell(self, line: str) -> None:
        """Log the result of an epoch."""
        get_run_logger().info(line)

    def finish(self, name: str) -> None:
        """Do nothing: the last step already updated the progress."""

    def _show(self) -> None:
        """Create or update the artifact; an unreachable server does not stop the training."""
        self._shown = self._clock()
        percent, description = 100 * self._done / self._total, f"{self._done:,} of {self._total:,} steps"
        try:
            if self._artifact is None:
                made = create_progress_artifact(percent, key="progress-training", description=description)
                self._artifact = cast("UUID", made)  # a coroutine only if an event loop is running
            else:
                update_progress_artifact(self._artifact, percent, description=description)
        except httpx.HTTPError as error:
            log.warning("cannot update the training progress: %s", error)


@task(name="train", task_run_name="train {model}", cache_policy=NO_CACHE, persist_result=False)
def train(model: str, *, revision: str, dataset: Path, out: Path, params: TrainingParams, machine: Machine) -> Curve:
    """Train a model, resuming an interrupted training, and return its learning curve."""
    from situatedgen.training import train  # noqa: PLC0415 (imports torch)

    return train.train(
        model, dataset, out, revision=revision, params=params, machine=machine, progress=ProgressArtifact()
    )


@task(name="predict", task_run_name="predict {split}", cache_policy=NO_CACHE, persist_result=False)
def predict(out: Path, *, dataset: Path, split: str, machine: Machine) -> Path:
    """Write a trained model's predictions for a split to a file named after the model's folder."""
    from situatedgen.training.predict import writer  # noqa: PLC0415 (imports torch)

    file = out / f"{out.name}.jsonl"
    write_predictions(file, writer(str(out), machine=machine).write(examples_of(dataset, split)))
    return file


@task(name="report", task_run_name="report", cache_policy=NO_CACHE, persist_result=False)
def report(curve: Curve, *, out: Path) -> None:
    """Show the learning curve as a table artifact."""
    description = f"best model: epoch {curve.best.epoch}, in {out / 'model'}; ROUGE-2 is measured on dev"
    create_table_artifact(key="training", table=[asdict(point) for point in curve.points], description=description)
