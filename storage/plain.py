"""Builds without Prefect: the same stages, the same store, the same keys."""

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
from storage.batches import Answers, Batch, ask, model_asked, pending, pending_tiles, search
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
"""Fewer batches than these are done sooner in this process than in others that have to load the model first."""


def build_dataset(
    request: BuildRequest,
    *,
    store: Store,
    out: Path,
    runtime: Runtime,
    observer: Observer | None = None,
    min_validity: float = 0.0,
) -> Build:
    """The finished build of a request, published into a folder if enough of its pairs are valid."""
    with shared_lock(store.root, BUILDS):
        finished = build(request, store, runtime, observer)
        publish(finished, store=store, out=out, min_validity=min_validity)
    return finished


def build(request: BuildRequest, store: Store, runtime: Runtime, observer: Observer | None = None) -> Build:
    """The finished build of a request, stage by stage in this process; batches go to others where there are some.

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
    """The artifacts of a stage: one, or one a source."""
    inputs = {name: made[name] for name in each.inputs if name in made}
    answers = _ask(context, each, inputs, pool)
    tiles = [search(tile, context.store) for tile in pending_tiles(context, inputs)] if each.name == TILED else []
    return [
        run_stage(context, each.name, inputs, source=source, answers=answers, tiles=tiles)
        for source in (context.sources if each.per_source else [""])
    ]


def _ask(context: BuildContext, each: Stage, inputs: dict[str, list[Outcome]], pool: Executor | None) -> list[Answers]:
    """Ask the model of a stage all that nobody has answered yet; two builds on a disk take turns to ask one model."""
    asked = model_asked(each, context.request)
    if asked is None:
        return []
    role, params = asked
    with lock(context.store.root, f"memo-{memo_name(role, model_identity(role, params))[:16]}"):
        batches = pending(context, each.name, inputs)
        is_shared = len(batches) >= FEW and registry.entry(role, params.name).one_core
        found: list[Answers] = []
        for answers in _answers(batches, context, pool if is_shared else None):
            context.observer.advanced(answers.batch.artifact, answers.batch.rows)
            found.append(answers)
    return found


def _answers(batches: Sequence[Batch], context: BuildContext, pool: Executor | None) -> Iterator[Answers]:
    """What comes of each batch, as they come; where a process of the pool is killed, the rest is asked in this one."""
    left, futures = list(batches), dict[Future[Answers], Batch]()
    try:
        futures |= {pool.submit(ask, batch, context.store, context.runtime): batch for batch in left} if pool else {}
        for future in as_completed(futures):
            yield future.result()
            left.remove(futures[future])
    except BrokenProcessPool:
        log.warning("a worker process was killed; %d batches are asked in this process", len(left))
    finally:
        for future in futures:
            future.cancel()
    for batch in left:
        yield ask(batch, context.store, context.runtime)


@contextmanager
def workers(runtime: Runtime) -> Iterator[Executor | None]:
    """The processes that share batches, where the runtime asks for some; they end with this one, however it ends.

    Raises:
        SettingsError: the runtime asks for a cluster.
    """
    if runtime.runner == "dask":
        raise SettingsError("a Dask cluster is used through Prefect: leave out --plain, or choose another --runner")
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
    """End this worker when the process that started it is gone, even if that was killed."""
    parent = parent_process()

    def wait_for_parent() -> None:
        if parent is not None:
            parent.join()
            signal.raise_signal(signal.SIGTERM)

    Thread(target=wait_for_parent, name="watch parent", daemon=True).start()


def concepts_request(settings: ConceptSettings, captions: Path, *, strict: bool = False) -> BuildRequest:
    """What is to be built of the captions in a folder."""
    return BuildRequest(settings, captions, strict=strict, pipeline=CONCEPT_PIPELINE)


def build_concepts(
    request: BuildRequest, *, store: Store, out: Path, runtime: Runtime, observer: Observer | None = None
) -> Build:
    """The finished build of a request, published into a folder."""
    finished = build(request, store, runtime, observer)
    publish_concepts(finished, store=store, out=out)
    return finished
