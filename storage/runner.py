"""Runs jobs: finds an artifact by its key, or makes it and keeps it."""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import polars as pl

from situatedgen import progress, schemas
from situatedgen.pipeline import Stage, stage
from situatedgen.runtime import Runtime
from situatedgen.sources.choosing import wanted
from situatedgen.stages.items import refuse_malformed
from storage import observers, processes
from storage.artifacts import KeyRecord
from storage.builds import remember, whole
from storage.earlier import earlier_run
from storage.jobs import Job, code_of
from storage.locks import BUILDS, held, sharing
from storage.outcomes import Build, Outcome, now
from storage.planning import Order, stage_jobs
from storage.recalling import Tally
from storage.remembered import REMEMBERED, Asking
from storage.store import Store

log = logging.getLogger(__name__)

Execute = Callable[[Sequence[Job]], list[Outcome]]


def build(order: Order, store: Store, execute: Execute) -> Build:
    """The finished build of an order, stage by stage; `execute` runs the jobs of one stage."""
    with sharing(store.root, BUILDS):
        try:
            return _build(order, store, execute)
        finally:
            processes.dismiss()


def _build(order: Order, store: Store, execute: Execute) -> Build:
    chosen = wanted(order.settings, order.sources)
    outcomes: list[Outcome] = []
    for each in order.pipeline:
        jobs = stage_jobs(each, order, chosen, [outcome.ref for outcome in outcomes])
        keep_code(jobs, store)
        made = execute(jobs)
        outcomes.extend(made)
        if order.strict and not each.inputs:
            # Checked on reused items too: `strict` is in no cache key, because it changes no row.
            refuse_malformed(whole(store, [outcome.ref for outcome in made], each.name))
    settings = order.settings.model_dump(mode="json")
    finished = Build(
        created=now(),
        settings=settings,
        sources=str(order.sources),
        outcomes=tuple(outcomes),
        precedent=order.precedent,
        decisions=order.decisions,
    )
    remember(store, finished)
    return finished


def run_all(jobs_of_stage: Sequence[Job], *, store: Store, runtime: Runtime) -> list[Outcome]:
    """The outcomes of jobs run one after the other in this process: the plain way."""
    return [run(job, store=store, runtime=runtime) for job in jobs_of_stage]


def run(job: Job, *, store: Store, runtime: Runtime) -> Outcome:
    """The outcome of a job: its artifact, found by key or made now."""
    observer = observers.current()
    observer.started(job.name, job.rows)
    outcome = reuse(job, store) or make_alone(job, store=store, runtime=runtime)
    observer.finished(outcome)
    return outcome


def make_alone(job: Job, *, store: Store, runtime: Runtime) -> Outcome:
    """The outcome of a job that no other process makes at the same time; whoever waited finds it made."""
    with held(store.root, f"{job.stage}-{job.key[:2]}"):
        return reuse(job, store) or make(job, store=store, runtime=runtime)


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
    tally = Tally()
    asking = Asking(store, runtime, scope=job.source, tally=tally)
    with listening(job, tally):
        models = {role: asking.model(role, getattr(params, role)) for role in each.models}
        earlier = {"earlier": earlier_run(job, each, store)} if each.grows_by else {}
        table = each.function(*inputs_of(job, each, store), params=params, **models, **earlier)
    schemas.check(table, each.schema, name=job.name)
    seconds = time.perf_counter() - began
    record = keep(table, job, store, seconds)
    log.info("%s: %d rows in %.1f s", job.name, table.height, seconds)
    computed = tally.computed if asks(each) else table.height - tally.recalled
    return Outcome(
        ref=record.ref, key=job.key, seconds=seconds, reused=False, computed=computed, recalled=tally.recalled
    )


def asks(each: Stage) -> bool:
    """Whether a stage asks models whose answers are remembered."""
    return any(role in REMEMBERED for role in each.models)


@contextmanager
def listening(job: Job, tally: Tally) -> Iterator[None]:
    """Tell the observer how a job goes, and count what was known already."""
    observer = observers.current()

    def recall(rows: int) -> None:
        tally.recalled += rows
        observer.recalled(job.name, rows)

    with progress.listening(partial(observer.advanced, job.name), recall):
        yield


def keep_code(jobs: Sequence[Job], store: Store) -> None:
    """Write down the names of the code behind jobs, where they are not safely on disk."""
    for code, symbols in {code: found for job in jobs for code, found in code_of(job).items()}.items():
        path = store.root / "code" / f"{code}.json"
        if store.read_json(path) is None:
            store.write_json(path, {"symbols": symbols})


def keep(table: pl.DataFrame, job: Job, store: Store, seconds: float) -> KeyRecord:
    """The record of a job's table, once it is safely on disk."""
    return store.save(
        table,
        stage=job.stage,
        source=job.source,
        key=job.key,
        parts=job.parts,
        seconds=seconds,
        inputs=job.inputs,
    )


def inputs_of(job: Job, each: Stage, store: Store) -> list[object]:
    """What a stage's function takes by position: the source's files, or the tables of its inputs."""
    if not each.inputs:
        return [Path(job.root)]
    return [whole(store, job.inputs[name], name) for name in each.inputs]
