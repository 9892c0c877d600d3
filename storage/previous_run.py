"""The previous run that an incremental stage starts from: same code, most rows in common."""

import logging
from collections.abc import Iterator, Sequence
from itertools import islice

import polars as pl

from situatedgen.errors import StoreError
from situatedgen.params import Params
from situatedgen.stages.previous_run import PreviousRun
from situatedgen.stages.stage import Stage
from storage.builds import read_whole
from storage.keys import Job
from storage.store import KeyRecord, Store

log = logging.getLogger(__name__)
CONSIDERED = 5
"""How many of the newest earlier runs are looked at."""
ENOUGH = 0.95
"""The share of what there is to spare with which a run is taken, and no other looked at."""


def find_previous_run(job: Job, each: Stage, store: Store) -> PreviousRun | None:
    """The earlier run that spares a job most, or enough, of those whose tables are whole; none when none spares."""
    records = list(islice(_runs_of_same_code(job, store), CONSIDERED))
    if not records or each.spared is None:
        return None
    found = (_read(record, each, store) for record in _best_first(records, job, each, store))
    return next((earlier for earlier in found if earlier is not None), None)


def _best_first(records: Sequence[KeyRecord], job: Job, each: Stage, store: Store) -> Iterator[KeyRecord]:
    """The earlier runs that spare something: the first that spares enough at once, then the others by how much."""
    wanted, now = read_whole(store, job.inputs[each.grows_by], each.grows_by), each.params.model_validate(job.params)
    most = each.spared(wanted, now, wanted, now) if each.spared else 0
    spared: list[int] = []
    for record in records:
        spared.append(_count_reusable(record, now, each, store, wanted))
        if spared[-1] and spared[-1] >= ENOUGH * most:
            yield record
    yield from (
        records[index] for index in sorted(range(len(records)), key=lambda index: -spared[index]) if spared[index]
    )


def _runs_of_same_code(job: Job, store: Store) -> Iterator[KeyRecord]:
    """The records of earlier runs with the same code and schema, the newest first."""
    for record in store.records(job.stage):
        if all(record.parts.get(part) == job.parts[part] for part in ("code", "schema")):
            yield record


def _count_reusable(record: KeyRecord, now: Params, each: Stage, store: Store, wanted: pl.DataFrame) -> int:
    """How much a stage says that an earlier run spares it."""
    try:
        before = read_whole(store, record.inputs.get(each.grows_by, ()), each.grows_by)
    except StoreError as error:
        log.info("an earlier run of %s cannot be used: %s", each.name, error)
        return 0
    then = each.params.model_validate(record.parts["params"])
    return each.spared(before, then, wanted, now) if each.spared else 0


def _read(record: KeyRecord, each: Stage, store: Store) -> PreviousRun | None:
    """The tables of an earlier run; nothing when one of them is gone."""
    try:
        inputs = {name: read_whole(store, record.inputs[name], name) for name in each.looks_back}
        return PreviousRun(inputs, each.params.model_validate(record.parts["params"]), store.read(record.ref))
    except StoreError as error:
        log.info("an earlier run of %s cannot be used: %s", each.name, error)
        return None
