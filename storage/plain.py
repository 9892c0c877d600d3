"""Builds without Prefect: same stages, same store, same cache keys."""

import logging
import os
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread

from situatedgen.commongen.params import ConceptSettings
from situatedgen.errors import SettingsError
from situatedgen.models import registry
from situatedgen.pipeline import CONCEPT_PIPELINE
from situatedgen.runtime import Runtime
from situatedgen.stages.stage import Stage
from storage.batches import TILED_STAGE as TILED
from storage.batches import Answers, Batch, ask, model_of_stage, pending, pending_tiles, search
from storage.builds import Build, Observer, Outcome
from storage.keys import model_identity
from storage.locks import BUILDS, lock, shared_lock
from storage.memo import memo_name
from storage.publication import publish, publish_concepts
from storage.requests import BuildContext, BuildRequest
from storage.runner import finish, run_stage
from storage.store import Store

log = logging.getLogger(__name__)
FEW = 4
"""With fewer batches than this, computing in-process beats loading the model in worker processes."""


def build_dataset(
    request: BuildRequest,
    *,
    store: Store,
    out: Path,
    runtime: Runtime,
    observer: Observer | None = None,
    min_validity: float = 0.0,
) -> Build:
    """Build a request and publish it into a folder if a large enough share of its pairs is valid."""
    with shared_lock(store.root, BUILDS):
        finished = build(request, store, runtime, observer)
        publish(finished, store=store, out=out, min_validity=min_validity)
    return finished


def build(request: BuildRequest, store: Store, runtime: Runtime, observer: Observer | None = None) -> Build:
    """Build a request stage by stage in this process; batches run in worker processes if there are any.

    Raises:
        SettingsError: the runtime asks for a cluster.
    """
    with shared_lock(store.root, BUILDS), workers(runtime) as pool:
        context = BuildContext.start(request, store, runtime, observer)
        made: dict[str, list[Outcome]] = {}
        for each in request.pipeline:
            made[each.name] = _make(context, each, made, pool)
        return finish(context, list(made.values()))


def _make(context: BuildContext, each: Stage, made: dict[str, list[Outcome]], pool: Executor | None) -> list[Outcome]:
    """Compute the artifacts of a stage: one, or one per source."""
    inputs = {name: made[name] for name in each.inputs if name in made}
    answers = _ask_model(context, each, inputs, pool)
    tiles = [search(tile, context.store) for tile in pending_tiles(context, inputs)] if each.name == TILED else []
    return [
        run_stage(context, each.name, inputs, source=source, answers=answers, tiles=tiles)
        for source in (context.sources if each.per_source else [""])
    ]


def _ask_model(
    context: BuildContext, each: Stage, inputs: dict[str, list[Outcome]], pool: Executor | None
) -> list[Answers]:
    """Ask a stage's model all unanswered questions; a lock keeps two local builds from asking one model at once."""
    asked = model_of_stage(each, context.request)
    if asked is None:
        return []
    role, params = asked
    with lock(context.store.root, f"memo-{memo_name(role, model_identity(role, params))[:16]}"):
        batches = pending(context, each.name, inputs)
        is_shared = len(batches) >= FEW and registry.entry(role, params.name).one_core
        found: list[Answers] = []
        for answers in _run_batches(batches, context, pool if is_shared else None):
            context.observer.advance(answers.batch.artifact, answers.batch.rows)
            found.append(answers)
    return found


def _run_batches(batches: Sequence[Batch], context: BuildContext, pool: Executor | None) -> Iterator[Answers]:
    """Yield the answers of each batch as it completes; if a worker is killed, compute the rest in this process."""
    left, futures = list(batches), dict[Future[Answers], Batch]()
    try:
        futures |= {pool.submit(ask, batch, context.store, context.runtime): batch for batch in left} if pool else {}
        for future in as_completed(futures):
            yield future.result()
            left.remove(futures[future])
    except BrokenProcessPool:
        log.warning("a worker process was killed; this process runs the remaining %d batches", len(left))
    finally:
        for future in futures:
            future.cancel()
    for batch in left:
        yield ask(batch, context.store, context.runtime)


@contextmanager
def workers(runtime: Runtime) -> Iterator[Executor | None]:
    """Yield the pool of worker processes, or None for threads; workers exit when this process does, even if killed.

    Raises:
        SettingsError: the runtime asks for a cluster.
    """
    if runtime.runner == "dask":
        raise SettingsError("a Dask cluster needs Prefect: leave out --plain, or choose another --runner")
    if runtime.runner == "threads":
        yield None
        return
    size = runtime.workers or len(os.sched_getaffinity(0))
    # Threads and numeric libraries of this process would not survive a fork.
    pool = ProcessPoolExecutor(size, get_context("spawn"), initializer=_watch_parent)
    try:
        yield pool
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _watch_parent() -> None:
    """Terminate this worker when its parent process exits, even if the parent was killed."""
    parent = parent_process()

    def wait_for_parent() -> None:
        if parent is not None:
            parent.join()
            signal.raise_signal(signal.SIGTERM)

    Thread(target=wait_for_parent, name="watch parent", daemon=True).start()


def concepts_request(settings: ConceptSettings, captions: Path, *, strict: bool = False) -> BuildRequest:
    """Return the request to build concept sets from the captions in a folder."""
    return BuildRequest(settings, captions, strict=strict, pipeline=CONCEPT_PIPELINE)


def build_concepts(
    request: BuildRequest, *, store: Store, out: Path, runtime: Runtime, observer: Observer | None = None
) -> Build:
    """Build a concept-set request and publish it into a folder."""
    finished = build(request, store, runtime, observer)
    publish_concepts(finished, store=store, out=out)
    return finished
