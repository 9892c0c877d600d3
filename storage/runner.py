"""Runs jobs: finds an artifact by its key, or makes it and keeps it."""

import logging
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from situatedgen import progress, schemas
from situatedgen.models import registry
from situatedgen.pipeline import PIPELINE, Stage, stage
from situatedgen.runtime import Runtime
from situatedgen.sources.registry import choose
from situatedgen.stages.items import SourceFiles
from storage import observers
from storage.builds import remember, whole
from storage.jobs import Job
from storage.outcomes import Build, Outcome, now
from storage.planning import Order, stage_jobs
from storage.store import Store

log = logging.getLogger(__name__)

Execute = Callable[[Sequence[Job]], list[Outcome]]


def build(order: Order, store: Store, execute: Execute) -> Build:
    """The finished build of an order, stage by stage; `execute` runs the jobs of one stage."""
    chosen = choose(order.settings.sources, order.sources)
    outcomes: list[Outcome] = []
    for each in PIPELINE:
        refs = [outcome.ref for outcome in outcomes]
        outcomes.extend(execute(stage_jobs(each, order, chosen, refs)))
    settings = order.settings.model_dump(mode="json")
    finished = Build(created=now(), settings=settings, sources=str(order.sources), outcomes=tuple(outcomes))
    remember(store, finished)
    return finished


def run_all(jobs_of_stage: Sequence[Job], *, store: Store, runtime: Runtime) -> list[Outcome]:
    """The outcomes of jobs run one after the other in this process: the plain way."""
    return [run(job, store=store, runtime=runtime) for job in jobs_of_stage]


def run(job: Job, *, store: Store, runtime: Runtime) -> Outcome:
    """The outcome of a job: its artifact, found by key or made now."""
    observer = observers.current()
    observer.started(job.name, job.rows)
    outcome = reuse(job, store) or make(job, store=store, runtime=runtime)
    observer.finished(outcome)
    return outcome


def reuse(job: Job, store: Store) -> Outcome | None:
    """The outcome of a job whose artifact is in the store, whole; nothing otherwise."""
    record = store.find(job.stage, job.key)
    return None if record is None else Outcome(ref=record.ref, key=job.key, seconds=0.0, reused=True)


def make(job: Job, *, store: Store, runtime: Runtime) -> Outcome:
    """The outcome of a job whose artifact is made now.

    Raises:
        SituatedGenError: the stage refuses its input, or the store cannot be written.
    """
    began = time.perf_counter()
    each = stage(job.stage)
    params = each.params.model_validate(job.params)
    models = {role: registry.load(role, getattr(params, role), runtime) for role in each.models}
    with progress.listening(partial(observers.current().advanced, job.name)):
        table = each.function(*inputs_of(job, each, store), params=params, **models)
    schemas.check(table, each.schema, name=job.name)
    seconds = time.perf_counter() - began
    record = store.save(table, stage=job.stage, source=job.source, key=job.key, parts=job.parts, seconds=seconds)
    log.info("%s: %d rows in %.1f s", job.name, table.height, seconds)
    return Outcome(ref=record.ref, key=job.key, seconds=seconds, reused=False)


def inputs_of(job: Job, each: Stage, store: Store) -> list[object]:
    """What a stage's function takes by position: the source's files, or the tables of its inputs."""
    if not each.inputs:
        return [SourceFiles(root=Path(job.root), strict=job.strict)]
    return [whole(store, job.inputs[name], name) for name in each.inputs]
