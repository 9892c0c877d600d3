"""Raw files into items."""

import logging

import polars as pl

from situatedgen.errors import SourceError
from situatedgen.rules.licensing import is_allowed
from situatedgen.schemas import ITEMS
from situatedgen.sources.params import ItemParams
from situatedgen.sources.registry import find
from situatedgen.sources.source import ItemRow, SourceFiles, read
from situatedgen.vocabulary import Verdict

__all__ = ["SourceFiles", "items"]

log = logging.getLogger(__name__)


def items(files: SourceFiles, *, params: ItemParams) -> pl.DataFrame:
    """One row per usable record of a source, and one per record that is blank, malformed or of another licence.

    Raises:
        SourceError: the source cannot be read, or its records have licences of their own and none is allowed.
    """
    reading = read(find(params.source), files)
    rows = [_licensed(row, params.licences) for row in reading.rows]
    kept = sum(row.verdict == Verdict.KEPT for row in rows)
    log.info(
        "%s: %d items, %d blank, malformed or of another licence, %d not meant to be used",
        params.source.name,
        kept,
        len(rows) - kept,
        reading.unused,
    )
    if params.source.record_licence and not kept:
        name = params.source.name
        raise SourceError(f"source {name!r}: no record has a licence of the group {params.licences!r}; exclude it")
    return ITEMS.frame(rows)


def _licensed(row: ItemRow, licences: str) -> ItemRow:
    """A row that is out when its licence is not of the group."""
    if row.verdict != Verdict.KEPT or is_allowed(row.licence, licences):
        return row
    reason = f"{row.file}:{row.line}: licence {row.licence!r} is not of the group {licences!r}"
    return row._replace(verdict=Verdict.LICENCE, reason=reason)
