"""Raw files into items."""

import logging

import polars as pl

from situatedgen.schemas import ITEMS
from situatedgen.sources.params import ItemParams
from situatedgen.sources.registry import find
from situatedgen.sources.source import SourceFiles, read
from situatedgen.vocabulary import Verdict

__all__ = ["SourceFiles", "items"]

log = logging.getLogger(__name__)


def items(files: SourceFiles, *, params: ItemParams) -> pl.DataFrame:
    """One row per usable record of a source, and one per blank or malformed record, with its reason."""
    reading = read(find(params.source), files)
    kept = sum(row.verdict == Verdict.KEPT for row in reading.rows)
    log.info(
        "%s: %d items, %d blank or malformed, %d not meant to be used",
        params.source.name,
        kept,
        len(reading.rows) - kept,
        reading.unused,
    )
    return ITEMS.frame(reading.rows)
