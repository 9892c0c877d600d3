"""What happens at the steps of a training: checkpoints are sealed and swept, and progress is shown."""

# ruff: noqa: ARG002 (the library names what it hands over)

from pathlib import Path
from typing import Any

from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from situatedgen.progress import Progress
from situatedgen.training import checkpoints
from situatedgen.training.curve import STEPS, points

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
