"""Mapped Prefect tasks for model work and mining: one task run per batch or tile, each with its own retries."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from threading import Lock
from typing import Any, Generic, TypeVar, cast
from uuid import UUID

from prefect import State, Task, tags, task, unmapped
from prefect.artifacts import create_progress_artifact, update_progress_artifact
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import TaskRun
from prefect.exceptions import UnfinishedRun, UpstreamTaskError
from prefect.futures import PrefectFuture, PrefectFutureList

from situatedgen.errors import ModelError, SettingsError
from situatedgen.pipeline import stage
from storage import batches
from storage.batches import Answers, Batch, TileHits, TileJob
from storage.requests import BuildContext, Outcomes
from tasks.gpu import gpu_slot, uses_gpu

RETRIES, RETRY_SECONDS = 2, 2
Work = TypeVar("Work")


def can_retry(_: Task[..., Any], __: TaskRun, state: State[Any]) -> bool:
    """Whether a retry may help: not if the settings or the model are at fault."""
    return not isinstance(state.result(raise_on_failure=False), SettingsError | ModelError)


class Pending(Generic[Work]):
    """Work items to map a task over.

    Prefect looks up the task that produced a list by the list's `id`, even if the list is gone and another one has
    reused its address. It tracks objects that are not built-in collections reliably.
    """

    def __init__(self, work: Sequence[Work]) -> None:
        self.work = work

    def __iter__(self) -> Iterator[Work]:
        """Iterate over the work items."""
        return iter(self.work)


OPTIONS: dict[str, Any] = {"cache_policy": NO_CACHE, "persist_result": False}
RETRIED: dict[str, Any] = {
    **OPTIONS,
    "retries": RETRIES,
    "retry_delay_seconds": RETRY_SECONDS,
    "retry_condition_fn": can_retry,
}


@task(name="pending", task_run_name="pending/{name}", **OPTIONS)
def pending(context: BuildContext, name: str, **inputs: Outcomes) -> "Pending[Batch]":
    """Return the batches of a stage's questions that its model has not answered yet."""
    return Pending(batches.pending(context, name, inputs))


def batch_task(name: str) -> Task[..., Answers]:
    """Return the task that runs the model of a role on a batch and saves the answers in the memo."""

    @task(name=name, task_run_name="{batch.name}", tags=["model"], **RETRIED)
    def ask(context: BuildContext, batch: Batch) -> Answers:
        answers = batches.ask(batch, context.store, context.runtime, gpu_slot)
        context.observer.advance(batch.artifact, batch.rows)
        return answers

    return ask


BATCHES = {
    "converter": batch_task("convert"),
    "tagger": batch_task("tag"),
    "nouns": batch_task("find-nouns"),
    "parser": batch_task("parse"),
    "encoder": batch_task("encode"),
    "lemmatiser": batch_task("lemmatise"),
    "judge": batch_task("judge"),
}
"""The task that runs the model of each role."""


@task(name="pending", task_run_name="pending/candidates", **OPTIONS)
def pending_tiles(context: BuildContext, **inputs: Outcomes) -> "Pending[TileJob]":
    """Return the tiles of the candidate search, if there are several."""
    return Pending(batches.pending_tiles(context, inputs))


@task(name="search", task_run_name="tile {tile.tile.row}, {tile.tile.column}", **RETRIED)
def search(context: BuildContext, tile: TileJob) -> TileHits:
    """Search a tile for similar texts."""
    return batches.search(tile, context.store)


@dataclass(frozen=True)
class BatchRuns:
    """The mapped task runs of a build, submitted once their work items are known.

    Since the work depends on earlier tables, the flow waits here for them, and also notices here if one failed.
    """

    context: BuildContext
    submitted: list[PrefectFutureList[Any]] = field(default_factory=list)  # Any: the results of batches and tiles

    def answers(self, name: str, **inputs: Any) -> list[PrefectFuture[Answers]]:  # Any: futures of outcomes
        """Submit one task run per batch of a stage's unanswered questions; none if all are answered.

        Does nothing if the settings name no model. If the model runs on a GPU, the batches carry the tag `gpu`, and
        each holds a slot of the concurrency limit `gpu`.
        """
        asked = batches.model_of_stage(stage(name), self.context.request)
        if asked is None:
            return []
        self.raise_failures(*inputs.values())
        waiting, (role, params) = pending.submit(self.context, name, **inputs), asked
        # Checking for a GPU imports torch, which a build without questions does not need.
        needs_gpu = bool(waiting.result().work) and uses_gpu(role, params, self.context.runtime)
        with tags(*(["gpu"] if needs_gpu else [])):
            self.submitted.append(BATCHES[role].map(unmapped(self.context), waiting))
        show_progress(name, self.submitted[-1])
        return self.submitted[-1]

    def tiles(self, **inputs: Any) -> PrefectFutureList[TileHits]:  # Any: futures of outcomes
        """Submit one task run per tile of the similarity search; a single tile is searched by its stage instead."""
        self.raise_failures(*inputs.values())
        self.submitted.append(search.map(unmapped(self.context), pending_tiles.submit(self.context, **inputs)))
        return self.submitted[-1]

    def raise_failures(self, *stages: Any) -> None:  # Any: a future, or a list of them
        """Wait for stages and raise the root error if one failed, instead of the error of a stage that waited for it.

        Raises:
            SituatedGenError: a stage rejected its input, a model failed, or the store cannot be written.
        """
        try:
            for given in stages:
                _ = given.result()
        except (UnfinishedRun, UpstreamTaskError):
            for futures in self.submitted:
                _ = futures.result()
            raise


def show_progress(name: str, futures: PrefectFutureList[Any]) -> None:  # Any: as above
    """Show how many batches of a stage are done, as a progress artifact of the flow run; nothing for one batch."""
    if len(futures) < 2:
        return
    key, done, lock = f"{name}-progress".replace("_", "-"), count(1), Lock()
    artifact = cast("UUID", create_progress_artifact(0.0, key=key, description=f"{name}: {len(futures)} batches"))

    def advance(_: PrefectFuture[Any]) -> None:  # Any: as above
        with lock:
            update_progress_artifact(artifact, 100 * next(done) / len(futures))

    for future in futures:
        future.add_done_callback(advance)
