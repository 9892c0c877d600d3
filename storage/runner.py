"""The steps of a build, whoever takes them: find an artifact by its key, or make it and keep it."""

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
from storage.batches import Answers, Asking, TileHits, read_hits
from storage.builds import Build, Outcome, now, read_whole, remember
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
    """The outcome of a stage: its artifact, found by key or made now.

    Raises:
        SituatedGenError: the stage refuses its input, or the store cannot be written.
    """
    job = context.job(name, inputs, source=source)
    context.observer.started(job.name, job.rows)
    outcome = run_job(job, context.store, context.runtime, answers, tiles)
    if context.request.strict and not job.inputs:
        # Checked on reused items too: `strict` is in no cache key, because it changes no row.
        refuse_malformed(context.store.read(outcome.ref))
    context.observer.finished(outcome)
    return outcome


def run_job(
    job: Job, store: Store, runtime: Runtime, answers: Sequence[Answers] = (), tiles: Sequence[TileHits] = ()
) -> Outcome:
    """The outcome of a job. No other process makes the same at the same time; whoever waited finds it made.

    Raises:
        SituatedGenError: the stage refuses its input, or the store cannot be written.
    """
    with lock(store.root, f"{job.stage}-{job.key[:2]}"):
        outcome = _find(job, store) or _make(job, store, runtime, answers, tiles)
    used = {done.batch.file for done in answers if done.batch.source == job.source} | {tile.file for tile in tiles}
    for file in used:
        store.remove_temporary(file)
    return outcome


def finish(context: BuildContext, outcomes: Sequence[Outcomes]) -> Build:
    """The finished build, written down in its store; its outcomes in the order of the pipeline."""
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
    remember(context.store, finished)
    return finished


def _precedent(context: BuildContext, found: Mapping[str, Outcome]) -> ArtifactRef | None:
    """What the splits of a build follow: what it was given, or what those that it reused followed themselves."""
    given = context.request.precedent
    record = context.store.record("splits", found["splits"].key) if given else None
    return next(iter(record.inputs.get(given.stage, ())), None) if given and record else given


def artifact_names(context: BuildContext, each: Stage) -> list[str]:
    """The names of the artifacts of a stage."""
    return [artifact_name(each.name, source) for source in (context.sources if each.per_source else [""])]


def _find(job: Job, store: Store) -> Outcome | None:
    """The outcome of a job whose artifact is in the store, whole; nothing otherwise."""
    record = store.find(job.stage, job.key)
    return None if record is None else Outcome(ref=record.ref, key=job.key, seconds=0.0, reused=True)


def _make(job: Job, store: Store, runtime: Runtime, answers: Sequence[Answers], tiles: Sequence[TileHits]) -> Outcome:
    """The outcome of a job whose artifact is made now."""
    began, each = time.perf_counter(), stage(job.stage)
    params = each.params.model_validate(job.params)
    tally = CallCount()
    asking = Asking(store, runtime, tally)
    models = {role: asking.model(role, model) for role, model in each.models_of(params).items()}
    earlier = {"earlier": find_previous_run(job, each, store)} if each.grows_by and not tiles else {}
    table = each.function(*inputs_of(job, each, store), params=params, **models, **earlier, **read_hits(tiles, store))
    schemas.check(table, each.schema, name=job.name)
    asked = [done for done in answers if done.batch.source == job.source]
    seconds = time.perf_counter() - began + sum(done.seconds for done in asked)
    record = _keep(table, job, store, seconds)
    log.info("%s: %d rows in %.1f s", job.name, table.height, seconds)
    new = sum(done.batch.rows for done in asked) if each.questions and models else None
    computed, recalled = _count(table, tally, new, earlier.get("earlier"))
    return Outcome(ref=record.ref, key=job.key, seconds=seconds, reused=False, computed=computed, recalled=recalled)


def _count(table: pl.DataFrame, tally: CallCount, asked: int | None, earlier: PreviousRun | None) -> tuple[int, int]:
    """How many rows were computed, and how many were known: what a model was asked, or the rows of the table."""
    if asked is not None:
        return tally.computed + asked, tally.recalled - asked
    reused = earlier.reused_rows if earlier else 0
    return table.height - reused, reused


def _keep(table: pl.DataFrame, job: Job, store: Store, seconds: float) -> KeyRecord:
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
    return [read_whole(store, job.inputs[name], name) for name in each.inputs]
