"""What happens at the steps of a training: checkpoints are sealed and swept, and the listener is told."""

# ruff: noqa: ARG002 (the library names what it hands over)

from pathlib import Path
from typing import Any

from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from situatedgen.training import checkpoints
from situatedgen.training.curve import points
from situatedgen.training.listening import Listener


class Watch(TrainerCallback):
    """Keeps the checkpoints of a training in order, and tells a listener how it goes."""

    def __init__(self, folder: Path, listener: Listener, *, save_every: int) -> None:
        self._folder = folder
        self._listener = listener
        self._save_every = save_every
        self._written = 0

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        """Say from where to where it goes."""
        self._listener.started(state.global_step, state.max_steps)

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        """Say so, and ask for a checkpoint when it is time; the end of an epoch has its own."""
        self._listener.advanced(state.global_step)
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
        self._written += 1
        self._listener.writing(self._written, len(eval_dataloader))

    def on_evaluate(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        """Say what came of the epoch."""
        self._written = 0
        self._listener.measured(points(state.log_history)[-1])

    def on_save(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object) -> None:
        """Seal the checkpoint just written, then let go of those before it."""
        checkpoints.seal(self._folder, state.global_step)
        checkpoints.sweep(self._folder, last=state.global_step, best=state.best_global_step)
