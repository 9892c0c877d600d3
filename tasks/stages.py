"""The one task that makes artifacts: cached by the stage's own key."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, cast

from prefect import task
from prefect.context import TaskRunContext
from prefect.logging import get_run_logger
from prefect.settings import PREFECT_LOCAL_STORAGE_PATH

from situatedgen.runtime import Runtime
from storage import observers
from storage.filesystem import StorePath
from storage.guarding import guarding
from storage.jobs import Job
from storage.observers import observing
from storage.outcomes import Outcome
from storage.runner import reuse, run
from storage.store import Store
from tasks.clusters import Away, topic
from tasks.gpu import GpuSlot
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
def artifact(job: Job, root: StorePath, runtime: Runtime) -> Outcome:
    """The outcome of a job: its artifact, found by key or made now, in a state that says which."""
    store = Store(root)
    with on_a_worker(job, store, runtime), observing(Progressing(observers.current())), guarding(GpuSlot()):
        outcome = run(job, store=store, runtime=runtime)
    # A state in place of a value: whoever asks a future for its result gets the value.
    return cast("Outcome", state_of(outcome))


@contextmanager
def on_a_worker(job: Job, store: Store, runtime: Runtime) -> Iterator[None]:
    """Make a job at home on a worker of a Dask cluster, where it was sent to one.

    Raises:
        StoreError: the worker does not see the store.
        SettingsError: the worker has other code.
    """
    with ExitStack() as stack:
        if runtime.runner == "dask":
            from storage.dask_worker import at_home  # noqa: PLC0415 (an extra)

            stack.enter_context(at_home(job, store, topic()))
        yield


def results(root: StorePath) -> Path:
    """Where Prefect keeps what tasks returned: beside the artifacts, or on this machine where they are in a bucket."""
    return root / "prefect" if isinstance(root, Path) else PREFECT_LOCAL_STORAGE_PATH.value()


def run_stage(jobs: Sequence[Job], *, store: Store, runtime: Runtime, away: Away | None = None) -> list[Outcome]:
    """The outcomes of a stage's jobs, a task run each; those that are to be made may be made elsewhere.

    Prefect's own cache answers only where the artifact itself is in the store and whole.
    """
    known = [reuse(job, store) for job in jobs]
    waiting = [_begun(job, store, runtime, found, away) for job, found in zip(jobs, known, strict=True)]
    made = [outcome() for outcome in waiting]
    outcomes = [found or outcome for found, outcome in zip(known, made, strict=True)]
    for found in known:
        if found is not None:
            observers.current().finished(found)
    for outcome in outcomes:
        get_run_logger().info("%s: %s", outcome.ref.name, words(outcome))
    return outcomes


def _begun(job: Job, store: Store, runtime: Runtime, found: Outcome | None, away: Away | None) -> Callable[[], Outcome]:
    """What waits for the outcome of a job whose task run was begun.

    What was found in the store stays here and tells nobody, for that is told afterwards; so do the files of sources.
    """
    this = artifact.with_options(refresh_cache=found is None, result_storage=results(store.root))
    if away and found is None and job.inputs:
        away.observer.started(job.name, job.rows)
        future = away.runner.submit(this, {"job": job, "root": store.root, "runtime": runtime})
        return partial(away.outcome, job.name, future)
    with observing(observers.Nobody() if found else observers.current()):
        return this.submit(job, store.root, runtime).result
