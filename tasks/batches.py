"""Model work and mining in mapped tasks: a task run per batch of texts, and per tile, each retried by itself."""

from typing import Any

from prefect import State, Task, tags, task, unmapped
from prefect.artifacts import create_progress_artifact
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import TaskRun
from prefect.futures import PrefectFutureList

from situatedgen.errors import SettingsError
from situatedgen.pipeline import stage
from storage import batches, tiles
from storage.batches import Answers, Batch
from storage.planning import BuildContext, Outcomes, models_of
from storage.tiles import TileHits, TileJob
from tasks.gpu import gpu_slot, uses_gpu

RETRIES, RETRY_SECONDS = 2, 2


def can_retry(_: Task[..., Any], __: TaskRun, state: State[Any]) -> bool:
    """Whether it may help to try again: not where settings, code or weights are wrong."""
    return not isinstance(state.result(raise_on_failure=False), SettingsError)


def raise_failures(futures: Any) -> None:  # Any: futures, and collections of them
    """Wait for futures, and raise the error of the first that failed: a task that needs it would not tell which.

    Raises:
        SituatedGenError: a stage refused its input, or the store cannot be written.
    """
    for future in futures.values() if isinstance(futures, dict) else futures:
        if isinstance(future, PrefectFutureList):
            raise_failures(future)
        else:
            future.result()


OPTIONS: dict[str, Any] = {"cache_policy": NO_CACHE, "persist_result": False}
RETRIED: dict[str, Any] = {
    **OPTIONS,
    "retries": RETRIES,
    "retry_delay_seconds": RETRY_SECONDS,
    "retry_condition_fn": can_retry,
}


@task(name="pending", task_run_name="pending/{name}", **OPTIONS)
def pending(context: BuildContext, name: str, **inputs: Outcomes) -> list[Batch]:
    """The batches of texts that a stage has to ask its model about: what nobody has answered yet."""
    return batches.pending(context, name, inputs)


def batch_task(name: str) -> Task[..., Answers]:
    """The task that asks the model of a role about a batch of texts, and remembers the answers."""

    @task(name=name, task_run_name="{batch.name}", tags=["model"], **RETRIED)
    def ask(context: BuildContext, batch: Batch) -> Answers:
        answers = batches.ask(batch, context.store, context.runtime, gpu_slot)
        context.observer.advanced(batch.artifact, batch.rows)
        if batch.count > 1:
            create_progress_artifact(
                100 * batch.number / batch.count,
                key=f"{batch.stage}-progress".replace("_", "-"),
                description=f"{batch.name}: {batch.rows:,} texts in {answers.seconds:.1f} s",
            )
        return answers

    return ask


BATCHES = {
    "converter": batch_task("convert"),
    "tagger": batch_task("tag"),
    "nouns": batch_task("find-nouns"),
    "parser": batch_task("parse"),
    "encoder": batch_task("encode"),
    "lemmatiser": batch_task("lemmatise"),
}
"""The task that asks the model of each role."""


def answers(context: BuildContext, name: str, **inputs: Any) -> PrefectFutureList[Answers]:  # Any: futures of outcomes
    """Ask the model of a stage what nobody has answered yet, a task run per batch; nothing new makes no run.

    Where the model runs on a GPU, the batches carry the tag `gpu`, and each holds a slot of the limit `gpu`.
    """
    raise_failures(inputs)
    waiting, role = pending.submit(context, name, **inputs), batches.role_asked(stage(name))
    params = models_of(stage(name), context.order)[role]
    # To look for a GPU imports torch, which a build with nothing to ask does without.
    needs_gpu = bool(waiting.result()) and uses_gpu(role, params, context.runtime)
    with tags(*(["gpu"] if needs_gpu else [])):
        return BATCHES[role].map(unmapped(context), waiting)


@task(name="pending", task_run_name="pending/candidates", **OPTIONS)
def pending_tiles(context: BuildContext, **inputs: Outcomes) -> list[TileJob]:
    """The tiles into which the search for candidates is cut, where there are several."""
    return tiles.pending_tiles(context, inputs)


@task(name="search", task_run_name="tile {tile.tile.row}, {tile.tile.column}", **RETRIED)
def search(context: BuildContext, tile: TileJob) -> TileHits:
    """Search a tile for similar texts."""
    return tiles.search(tile, context.store)


def tile_hits(context: BuildContext, **inputs: Any) -> PrefectFutureList[TileHits]:  # Any: futures of outcomes
    """Search for similar texts tile by tile, a task run each; where there is one tile only, its stage searches it."""
    raise_failures(inputs)
    return search.map(unmapped(context), pending_tiles.submit(context, **inputs))
