"""The steps of a build, with or without Prefect: look up an artifact by its cache key, or compute and save it."""

import logging
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from situatedgen import schemas
from situatedgen.pipeline import stage
from situatedgen.runtime import Runtime
from situatedgen.stages.items import refuse_malformed
from situatedgen.stages.previous_run import PreviousRun
from situatedgen.stages.stage import Stage
from storage.batches import Answers, ModelLoader, TileHits, read_hits
from storage.builds import Build, Outcome, now, read_stage, record_build
from storage.keys import Job
from storage.locks import lock
from storage.memo import CallCount
from storage.previous_run import find_previous_run
from storage.requests import BuildContext, Outcomes, as_list
from storage.store import ArtifactRef, KeyRecord, Store, artifact_name

log = logging.getLogger(__name__)


def run_stage(
    context: BuildContext,
    name: str,
    inputs: Mapping[str, Outcomes],
    *,
    source: str = "",
    answers: Sequence[Answers] = (),
    tiles: Sequence[TileHits] = (),
) -> Outcome:
    """Return the outcome of a stage, reusing its cached artifact or computing it.

    Raises:
        SituatedGenError: the stage rejects its input, or the store cannot be written.
    """
    job = context.job(name, inputs, source=source)
    context.observer.start(job.name, job.rows)
    outcome = run_job(job, context.store, context.runtime, answers, tiles)
    if context.request.strict and not job.inputs:
        # Checked on reused items too: `strict` is in no cache key, because it changes no row.
        refuse_malformed(context.store.read(outcome.ref))
    context.observer.finish(outcome)
    return outcome


def run_job(
    job: Job, store: Store, runtime: Runtime, answers: Sequence[Answers] = (), tiles: Sequence[TileHits] = ()
) -> Outcome:
    """Return the outcome of a job; a lock keeps other processes from computing the same artifact meanwhile.

    Raises:
        SituatedGenError: the stage rejects its input, or the store cannot be written.
    """
    with lock(store.root, f"{job.stage}-{job.key[:2]}"):
        outcome = _find(job, store) or _make(job, store, runtime, answers, tiles)
    used = {done.batch.file for done in answers if done.batch.source == job.source} | {tile.file for tile in tiles}
    for file in used:
        store.remove_temporary(file)
    return outcome


def finish(context: BuildContext, outcomes: Sequence[Outcomes]) -> Build:
    """Record the finished build in its store and return it, with its outcomes in pipeline order."""
    request = context.request
    found = {outcome.ref.name: outcome for given in outcomes for outcome in as_list(given)}
    names = [name for each in request.pipeline for name in artifact_names(context, each)]
    finished = Build(
        created=now(),
        settings=request.settings.model_dump(mode="json"),
        sources=str(request.sources),
        outcomes=tuple(found[name] for name in names),
        precedent=_precedent(context, found),
        decisions=request.decisions,
    )
    record_build(context.store, finished)
    return finished


def _precedent(context: BuildContext, found: Mapping[str, Outcome]) -> ArtifactRef | None:
    """Return the precedent of a build's splits: the given one, or the one that the reused splits followed."""
    given = context.request.precedent
    record = context.store.record("splits", found["splits"].key) if given else None
    return next(iter(record.inputs.get(given.stage, ())), None) if given and record else given


def artifact_names(context: BuildContext, each: Stage) -> list[str]:
    """Return the names of a stage's artifacts."""
    return [artifact_name(each.name, source) for source in (context.sources if each.per_source else [""])]


def _find(job: Job, store: Store) -> Outcome | None:
    """Return the outcome of a job whose artifact is intact in the store, otherwise None."""
    record = store.find(job.stage, job.key)
    return None if record is None else Outcome(ref=record.ref, key=job.key, seconds=0.0, reused=True)


def _make(job: Job, store: Store, runtime: Runtime, answers: Sequence[Answers], tiles: Sequence[TileHits]) -> Outcome:
    """Compute and save the artifact of a job."""
    began, each = time.perf_counter(), stage(job.stage)
    params = each.params.model_validate(job.params)
    calls = CallCount()
    loader = ModelLoader(store, runtime, calls)
    models = {role: loader.model(role, model) for role, model in each.models_of(params).items()}
    earlier = {"earlier": find_previous_run(job, each, store)} if each.incremental_on and not tiles else {}
    options = {"params": params} if each.has_params else {}
    table = each.function(*inputs_of(job, each, store), **options, **models, **earlier, **read_hits(tiles, store))
    schemas.check(table, each.schema, name=job.name)
    asked = [done for done in answers if done.batch.source == job.source]
    seconds = time.perf_counter() - began + sum(done.seconds for done in asked)
    record = _save(table, job, store, seconds)
    log.info("%s: %d rows in %.1f s", job.name, table.height, seconds)
    new = sum(done.batch.rows for done in asked) if each.questions and models else None
    computed, recalled = _count_rows(table, calls, new, earlier.get("earlier"))
    return Outcome(ref=record.ref, key=job.key, seconds=seconds, reused=False, computed=computed, recalled=recalled)


def _count_rows(
    table: pl.DataFrame, calls: CallCount, asked: int | None, earlier: PreviousRun | None
) -> tuple[int, int]:
    """Count computed and reused rows: of questions if a model was asked, otherwise of the table."""
    if asked is not None:
        return calls.computed + asked, calls.recalled - asked
    reused = earlier.reused_rows if earlier else 0
    return table.height - reused, reused


def _save(table: pl.DataFrame, job: Job, store: Store, seconds: float) -> KeyRecord:
    """Save a job's table and return its key record."""
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
    """Return the positional arguments of a stage's function: the source folder, or its input tables."""
    if not each.inputs:
        return [Path(job.root)]
    return [read_stage(store, job.inputs[name], name) for name in each.inputs]
