"""Which earlier run of a stage a new one starts from: of those with the same code, the one that shares most."""

import logging
from collections.abc import Iterator
from itertools import islice

import polars as pl

from situatedgen.errors import StoreError
from situatedgen.pipeline import Stage
from situatedgen.stages.earlier import Earlier
from storage.artifacts import KeyRecord
from storage.builds import whole
from storage.jobs import Job
from storage.store import Store

log = logging.getLogger(__name__)
CONSIDERED = 5
"""How many of the newest earlier runs are looked at."""


def earlier_run(job: Job, each: Stage, store: Store) -> Earlier | None:
    """The earlier run that spares a job most, of those whose tables are whole; none when none spares anything."""
    records = list(islice(_alike(job, store), CONSIDERED))
    if not records or each.spared is None:
        return None
    wanted = whole(store, job.inputs[each.grows_by], each.grows_by)
    spared = [_spared(record, job, each, store, wanted) for record in records]
    best_first = sorted((index for index in range(len(records)) if spared[index]), key=lambda index: -spared[index])
    found = (_read(records[index], each, store) for index in best_first)
    return next((earlier for earlier in found if earlier is not None), None)


def _alike(job: Job, store: Store) -> Iterator[KeyRecord]:
    """The records of earlier runs with the same code and schema, the newest first."""
    for record in store.records(job.stage):
        if all(record.parts.get(part) == job.parts[part] for part in ("code", "schema")):
            yield record


def _spared(record: KeyRecord, job: Job, each: Stage, store: Store, wanted: pl.DataFrame) -> int:
    """How much a stage says that an earlier run spares it."""
    try:
        before = whole(store, record.inputs.get(each.grows_by, ()), each.grows_by)
    except StoreError as error:
        log.info("an earlier run of %s cannot be used: %s", each.name, error)
        return 0
    then, now = (each.params.model_validate(params) for params in (record.parts["params"], job.params))
    return each.spared(before, then, wanted, now) if each.spared else 0


def _read(record: KeyRecord, each: Stage, store: Store) -> Earlier | None:
    """The tables of an earlier run; nothing when one of them is gone."""
    try:
        inputs = {name: whole(store, record.inputs[name], name) for name in each.inputs}
        return Earlier(inputs, each.params.model_validate(record.parts["params"]), store.read(record.ref))
    except StoreError as error:
        log.info("an earlier run of %s cannot be used: %s", each.name, error)
        return None
