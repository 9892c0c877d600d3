"""The one task that makes artifacts: cached by the stage's own key."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from prefect import task
from prefect.context import TaskRunContext
from prefect.futures import PrefectFuture
from prefect.logging import get_run_logger
from prefect.settings import PREFECT_LOCAL_STORAGE_PATH

from situatedgen.runtime import Runtime
from storage import observers
from storage.jobs import Job
from storage.observers import observing
from storage.outcomes import Outcome
from storage.places import Place
from storage.runner import reuse, run
from storage.store import Store
from tasks.progressing import Progressing
from tasks.showing import state_of, words


def key_of(_: TaskRunContext, parameters: dict[str, Any]) -> str:
    """The cache key of a task run: the key of its job."""
    job: Job = parameters["job"]
    return job.key


@task(
    name="artifact",
    task_run_name="{job.name}",
    cache_key_fn=key_of,
    persist_result=True,
    result_serializer="json",
)
def artifact(job: Job, root: Place, runtime: Runtime) -> Outcome:
    """The outcome of a job: its artifact, found by key or made now, in a state that says which."""
    with observing(Progressing(observers.current())):
        outcome = run(job, store=Store(root), runtime=runtime)
    # A state in place of a value: whoever asks a future for its result gets the value.
    return cast("Outcome", state_of(outcome))


def results(root: Place) -> Path:
    """Where Prefect keeps what tasks returned: beside the artifacts, or on this machine where they are in a bucket."""
    return root / "prefect" if isinstance(root, Path) else PREFECT_LOCAL_STORAGE_PATH.value()


def _begun(job: Job, store: Store, runtime: Runtime, found: Outcome | None) -> PrefectFuture[Outcome]:
    """The task run of a job; of what was found in the store it tells nobody, for that is told afterwards."""
    this = artifact.with_options(refresh_cache=found is None, result_storage=results(store.root))
    with observing(observers.Nobody() if found else observers.current()):
        return this.submit(job, store.root, runtime)


def run_stage(jobs: Sequence[Job], *, store: Store, runtime: Runtime) -> list[Outcome]:
    """The outcomes of a stage's jobs, a task run each.

    Prefect's own cache answers only where the artifact itself is in the store and whole.
    """
    known = [reuse(job, store) for job in jobs]
    futures = [_begun(job, store, runtime, found) for job, found in zip(jobs, known, strict=True)]
    made = [future.result() for future in futures]
    outcomes = [found or outcome for found, outcome in zip(known, made, strict=True)]
    for found in known:
        if found is not None:
            observers.current().finished(found)
    for outcome in outcomes:
        get_run_logger().info("%s: %s", outcome.ref.name, words(outcome))
    return outcomes
