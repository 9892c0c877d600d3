"""Where the named entities of a statement stand."""

import polars as pl

from situatedgen.models.answering import answered
from situatedgen.models.roles import Tagger
from situatedgen.params import EntityParams
from situatedgen.schemas import ENTITIES
from situatedgen.vocabulary import Verdict


def entities(statements: pl.DataFrame, *, params: EntityParams, tagger: Tagger) -> pl.DataFrame:  # noqa: ARG001
    """Find the named entities of every kept statement."""
    kept = statements.filter(pl.col("verdict") == Verdict.KEPT).select("statement_id", "text")
    found = answered("tagger", tagger, kept.select("text").unique().sort("text"))
    placed = kept.join(found.filter(pl.col("starts").list.len() > 0), on="text").explode("starts", "ends", "labels")
    start, end = pl.col("starts"), pl.col("ends")
    surface = pl.col("text").str.slice(start, end - start)
    columns = ("statement_id", start, end, surface, pl.col("labels"))
    return ENTITIES.select(placed, columns)
