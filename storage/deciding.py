"""What people decided, kept in the store so that a build can take it in as it takes a source."""

import logging
from pathlib import Path

import polars as pl

from situatedgen.errors import DecisionError, SettingsError
from situatedgen.review.tables import decision_table
from storage.artifacts import ArtifactRef
from storage.decisions import Log
from storage.digests import table_digest
from storage.store import Store

log = logging.getLogger(__name__)
STAGE = "decisions"
SHOWN_FAULTS = 3


def keep(store: Store, folder: Path | None, *, strict: bool = False) -> ArtifactRef | None:
    """The decisions of a folder as an artifact of the store; nothing where no folder is given.

    Raises:
        SettingsError: there is no such folder.
        DecisionError: a line is torn or altered, and the build is strict.
        StoreError: the folder cannot be read, or the store cannot be written.
    """
    if folder is None:
        return None
    table = decided(folder, strict=strict)
    key = table_digest(table)
    parts: dict[str, object] = {"stage": STAGE, "table": key}
    return store.save(table, stage=STAGE, source="", key=key, parts=parts, seconds=0.0).ref


def decided(folder: Path, *, strict: bool = False) -> pl.DataFrame:
    """The decisions of a folder that stand; lines that are none are set aside and told of, or refused when strict.

    Raises:
        SettingsError: there is no such folder.
        DecisionError: a line is torn or altered, and the build is strict.
    """
    if not folder.is_dir():
        raise SettingsError(f"no decisions: there is no folder {folder}; `situatedgen review` makes one")
    reading = Log(folder).read()
    if reading.faults:
        shown = "; ".join(str(fault) for fault in reading.faults[:SHOWN_FAULTS])
        more = f" and {len(reading.faults) - SHOWN_FAULTS} more" if len(reading.faults) > SHOWN_FAULTS else ""
        if strict:
            raise DecisionError(f"{shown}{more}; without --strict such lines are ignored")
        log.warning("ignored lines of decisions: %s%s", shown, more)
    return decision_table(reading.standing)
