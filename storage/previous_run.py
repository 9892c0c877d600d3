"""Finds the previous run that an incremental stage can reuse most of: same code, most rows in common."""

import logging
from collections.abc import Iterator, Sequence
from itertools import islice

import polars as pl

from situatedgen.errors import StoreError
from situatedgen.params import Params
from situatedgen.stages.previous_run import PreviousRun
from situatedgen.stages.stage import Stage
from storage.builds import read_stage
from storage.keys import Job
from storage.store import KeyRecord, Store

log = logging.getLogger(__name__)
CONSIDERED = 5
"""How many of the newest previous runs to consider."""
ENOUGH = 0.95
"""Stop searching once a previous run can reuse this share of the rows."""


def find_previous_run(job: Job, each: Stage, store: Store) -> PreviousRun | None:
    """Return the intact previous run that saves a job the most work, or enough of it; None if none saves any."""
    records = list(islice(_runs_of_same_code(job, store), CONSIDERED))
    if not records or each.count_reusable is None:
        return None
    found = (_read(record, each, store) for record in _rank_by_savings(records, job, each, store))
    return next((earlier for earlier in found if earlier is not None), None)


def _rank_by_savings(records: Sequence[KeyRecord], job: Job, each: Stage, store: Store) -> Iterator[KeyRecord]:
    """Yield the previous runs that save work: each that saves enough at once, then all by how much they save."""
    wanted, now = (
        read_stage(store, job.inputs[each.incremental_on], each.incremental_on),
        each.params.model_validate(job.params),
    )
    most = each.count_reusable(wanted, now, wanted, now) if each.count_reusable else 0
    saved: list[int] = []
    for record in records:
        saved.append(_count_reusable(record, now, each, store, wanted))
        if saved[-1] and saved[-1] >= ENOUGH * most:
            yield record
    yield from (
        records[index] for index in sorted(range(len(records)), key=lambda index: -saved[index]) if saved[index]
    )


def _runs_of_same_code(job: Job, store: Store) -> Iterator[KeyRecord]:
    """Yield the records of previous runs with the same code and schema, newest first."""
    for record in store.records(job.stage):
        if all(record.parts.get(part) == job.parts[part] for part in ("code", "schema")):
            yield record


def _count_reusable(record: KeyRecord, now: Params, each: Stage, store: Store, wanted: pl.DataFrame) -> int:
    """Count the work that a previous run saves, as the stage measures it; 0 if its input is unreadable."""
    try:
        before = read_stage(store, record.inputs.get(each.incremental_on, ()), each.incremental_on)
    except StoreError as error:
        log.info("cannot reuse a previous run of %s: %s", each.name, error)
        return 0
    then = each.params.model_validate(record.parts["params"])
    return each.count_reusable(before, then, wanted, now) if each.count_reusable else 0


def _read(record: KeyRecord, each: Stage, store: Store) -> PreviousRun | None:
    """Return the tables of a previous run, or None if one of them is unreadable."""
    try:
        inputs = {name: read_stage(store, record.inputs[name], name) for name in each.previous_inputs}
        return PreviousRun(inputs, each.params.model_validate(record.parts["params"]), store.read(record.ref))
    except StoreError as error:
        log.info("cannot reuse a previous run of %s: %s", each.name, error)
        return None
