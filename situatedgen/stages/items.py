"""The stage `items`: the raw files of a source as one row per record."""

import logging
from pathlib import Path

import polars as pl

from situatedgen.errors import RecordError, SourceError
from situatedgen.rules.licences import is_allowed
from situatedgen.schemas import ITEMS
from situatedgen.sources.params import ItemParams
from situatedgen.sources.registry import find
from situatedgen.sources.source import ItemRow, read
from situatedgen.vocabulary import Verdict

log = logging.getLogger(__name__)


def items(root: Path, *, params: ItemParams) -> pl.DataFrame:
    """Read the records of a source, including blank and malformed ones and those excluded by licence.

    Raises:
        SourceError: the source cannot be read, or each record has its own licence and none is allowed.
    """
    reading = read(find(params.source), root)
    rows = [_check_licence(row, params.licences) for row in reading.rows]
    kept = sum(row.verdict == Verdict.KEPT for row in rows)
    log.info(
        "%s: %d items, %d blank, malformed or excluded by licence, %d skipped on purpose",
        params.source.name,
        kept,
        len(rows) - kept,
        reading.unused,
    )
    if params.source.record_licence and not kept:
        name = params.source.name
        raise SourceError(
            f"source {name!r}: no record has a licence in the group {params.licences!r}; exclude the source"
        )
    return ITEMS.frame(rows)


def refuse_malformed(items: pl.DataFrame) -> None:
    """Raise if any item is malformed, whether it was just read or comes from the cache (strict builds).

    Raises:
        RecordError: a record is malformed; the message is the reason of the first.
    """
    malformed = items.filter(pl.col("verdict") == Verdict.MALFORMED).sort("file", "line", "item_id")
    if malformed.height:
        raise RecordError(malformed["reason"][0])


def _check_licence(row: ItemRow, licences: str) -> ItemRow:
    """Mark a kept row as rejected if its licence is not in the group."""
    if row.verdict != Verdict.KEPT or is_allowed(row.licence, licences):
        return row
    reason = f"{row.file}:{row.line}: licence {row.licence!r} is not of the group {licences!r}"
    return row._replace(verdict=Verdict.LICENCE, reason=reason)
