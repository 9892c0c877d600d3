"""The stage `entities`: the named entities of each statement with their offsets."""

import polars as pl

from situatedgen.models.batches import answer_rows
from situatedgen.models.roles import RowModel, Tagger
from situatedgen.params import EntityParams
from situatedgen.schemas import ENTITIES
from situatedgen.vocabulary import Verdict


def entity_questions(statements: pl.DataFrame) -> pl.DataFrame:
    """The distinct texts to send to the tagger."""
    return _kept_texts(statements).select("text").unique().sort("text")


def entities(
    statements: pl.DataFrame,
    *,
    params: EntityParams,  # noqa: ARG001
    tagger: Tagger | RowModel,
) -> pl.DataFrame:
    """Find the named entities of every kept statement."""
    found = answer_rows("tagger", tagger, entity_questions(statements))
    named = found.filter(pl.col("starts").list.len() > 0)
    placed = _kept_texts(statements).join(named, on="text").explode("starts", "ends", "labels")
    start, end = pl.col("starts"), pl.col("ends")
    surface = pl.col("text").str.slice(start, end - start)
    columns = ("statement_id", start, end, surface, pl.col("labels"))
    return ENTITIES.select(placed, columns)


def _kept_texts(statements: pl.DataFrame) -> pl.DataFrame:
    return statements.filter(pl.col("verdict") == Verdict.KEPT).select("statement_id", "text")
