"""The stage `parses`: the dependency parse of each statement."""

import polars as pl
import polars.selectors as cs

from situatedgen.models.batches import answer_rows
from situatedgen.models.roles import Parser, RowModel
from situatedgen.params import ParseParams
from situatedgen.schemas import PARSES
from situatedgen.vocabulary import Verdict


def parse_questions(statements: pl.DataFrame, masks: pl.DataFrame) -> pl.DataFrame:
    """The distinct texts to send to the parser."""
    return _kept_texts(statements, masks).select("text").unique().sort("text")


def parses(
    statements: pl.DataFrame,
    masks: pl.DataFrame,
    *,
    params: ParseParams,  # noqa: ARG001
    parser: Parser | RowModel,
) -> pl.DataFrame:
    """Parse every statement that may become part of a pair."""
    found = answer_rows("parser", parser, parse_questions(statements, masks))
    words = _kept_texts(statements, masks).join(found.filter(pl.col("start").list.len() > 0), on="text").drop("text")
    return PARSES.select(words.explode(cs.exclude("statement_id")), PARSES.columns)


def _kept_texts(statements: pl.DataFrame, masks: pl.DataFrame) -> pl.DataFrame:
    """The ids and texts of the statements that may occur in a pair."""
    kept = masks.filter(pl.col("verdict") == Verdict.KEPT)
    return statements.join(kept, on="statement_id", how="semi").select("statement_id", "text")
