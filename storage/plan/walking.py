"""The plan of a build: every artifact in the order of the pipeline, without making one."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import polars as pl

from situatedgen.pipeline import Stage, stage
from situatedgen.sources.choosing import wanted
from situatedgen.stages.items import refuse_malformed
from storage.artifacts import ArtifactRef, KeyRecord
from storage.deciding import decided
from storage.digests import table_digest
from storage.jobs import Job, code_of
from storage.outcomes import Outcome
from storage.plan.bench import Bench
from storage.plan.differing import input_reasons
from storage.plan.history import History
from storage.plan.prospects import Prospect, prospect
from storage.plan.rows import delta
from storage.plan.sight import Foreseen, Sight, are_settled
from storage.plan.steps import Status, Step
from storage.plan.symbols import symbols_of
from storage.plan.wording import part_reasons
from storage.planning import Order, stage_jobs
from storage.precedents import precedent
from storage.store import Store


def plan(order: Order, store: Store, given: Sequence[Foreseen] = ()) -> tuple[Step, ...]:
    """What a build of an order will do with each artifact, and why; nothing is written and no model is loaded.

    Raises:
        SituatedGenError: the build would refuse its sources or settings.
    """
    sight = Sight(store, History(store), settings=order.settings.model_dump(mode="json"))
    sight.foreseen.update((each.ref.name, each) for each in (*map(Foreseen, order.given), *given))
    chosen, bare = wanted(order.settings, order.sources), replace(order, precedent=None, decisions=None)
    steps = []
    for each in order.pipeline:
        for job in stage_jobs(each, bare, chosen, sight.refs()):
            step, sight.foreseen[job.name] = _looked_at(job, each, sight)
            steps.append(step)
        if order.strict and not each.inputs:
            _check_items([ref for ref in sight.refs() if ref.stage == each.name], sight)
    return tuple(steps)


def given(stable_with: Path | None, decisions: Path | None, *, strict: bool = False) -> tuple[Foreseen, ...]:
    """What no stage makes, as a build would keep it: the splits of an earlier dataset, and what people decided.

    Raises:
        SettingsError: a folder does not hold the three splits of a dataset, or is not there.
        DecisionError: a line of the decisions is torn or altered, and the build is strict.
    """
    tables = {"precedent": precedent(stable_with)} if stable_with else {}
    tables |= {"decisions": decided(decisions, strict=strict)} if decisions else {}
    return tuple(_kept(name, table) for name, table in tables.items())


def _kept(name: str, table: pl.DataFrame) -> Foreseen:
    return Foreseen(ArtifactRef(stage=name, digest=table_digest(table), rows=table.height), table)


def _check_items(refs: Sequence[ArtifactRef], sight: Sight) -> None:
    """Refuse a malformed record, as a strict build would."""
    items = sight.table("items", refs)
    if items is not None:
        refuse_malformed(items)


def _looked_at(job: Job, each: Stage, sight: Sight) -> tuple[Step, Foreseen]:
    """What will be done about a job, and the artifact that it gives."""
    record = sight.store.record(job.stage, job.key) if are_settled(job.inputs) else None
    if record is not None and sight.store.is_whole(record):
        return Step(job.name, Status.CACHED), Foreseen(record.ref)
    last = sight.history.last(job.name, sight.settings)
    ahead = prospect(Bench(job, each, sight.store), sight, _record(sight, last))
    same = record or (last if last and last.key == job.key else None)
    ref = same.ref if same else _ref(job, ahead)
    reasons = (*_reasons(job, sight, record, last), *_outlook(job, ahead, ref, last, sight))
    return _step(job, ahead, reasons), Foreseen(ref, ahead.table, ahead.pending)


def _step(job: Job, ahead: Prospect, reasons: tuple[str, ...]) -> Step:
    status = Status.PARTIAL if ahead.known else Status.RUN
    return Step(job.name, status, ahead.rows, ahead.of, reasons, up_to=ahead.up_to, asks=ahead.asks)


def _ref(job: Job, ahead: Prospect) -> ArtifactRef:
    """The reference of the table that a job will give; its digest is empty while rows of it are not known."""
    digest = "" if ahead.table is None or ahead.pending else table_digest(ahead.table)
    return ArtifactRef(stage=job.stage, digest=digest, rows=ahead.of or 0, source=job.source)


def _reasons(job: Job, sight: Sight, record: KeyRecord | None, last: Outcome | None) -> list[str]:
    """Why a job must run."""
    if record is not None:
        return ["artifact altered" if sight.store.path(record.ref).exists() else "artifact missing"]
    if last is None:
        return ["first build here"]
    earlier = _record(sight, last)
    if earlier is None:
        return ["record of the last build missing"]
    code = code_of(job)
    symbols = partial(symbols_of, sight.store, code)
    return [*part_reasons(earlier.parts, job.parts, symbols), *input_reasons(earlier.inputs, job.inputs, sight)]


def _outlook(job: Job, ahead: Prospect, ref: ArtifactRef, last: Outcome | None, sight: Sight) -> list[str]:
    """What else is known of what a job will give."""
    notes = [ahead.note] if ahead.note else []
    if last is None or ahead.table is None:
        return notes
    if ref.digest == last.ref.digest:
        return [*notes, "gives the same rows"]
    earlier = None if job.inputs else sight.read(last.ref)
    return notes if earlier is None else [*notes, str(delta(earlier, ahead.table, stage(job.stage).schema))]


def _record(sight: Sight, last: Outcome | None) -> KeyRecord | None:
    return None if last is None else sight.store.record(last.ref.stage, last.key)
