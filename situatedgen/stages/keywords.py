"""The stage `keywords`: the entities and other nouns of each statement."""

import polars as pl

from situatedgen.models.batches import answer_rows
from situatedgen.models.roles import NounFinder, RowModel
from situatedgen.params import KeywordParams
from situatedgen.records import Entity, Span
from situatedgen.rules.keywords import keywords_of, situating_labels
from situatedgen.schemas import KEYWORDS
from situatedgen.vocabulary import Label


def keyword_questions(statements: pl.DataFrame, entities: pl.DataFrame) -> pl.DataFrame:
    """The distinct texts to send to the noun finder."""
    return _statements_with_context(statements, entities).select("text").unique().sort("text")


def keywords(
    statements: pl.DataFrame,
    entities: pl.DataFrame,
    *,
    params: KeywordParams,  # noqa: ARG001
    nouns: NounFinder | RowModel,
) -> pl.DataFrame:
    """Find the keywords of every statement that names a place or a time."""
    asked, named = _statements_with_context(statements, entities), _group_entities(entities)
    found = answer_rows("nouns", nouns, keyword_questions(statements, entities))
    return KEYWORDS.frame(
        [
            (statement_id, word.start, word.end, text[word.start : word.end], word.kind, word.label)
            for statement_id, text, starts, ends in asked.join(found, on="text").iter_rows()
            for word in keywords_of(named[statement_id], map(Span, starts, ends))
        ]
    )


def _statements_with_context(statements: pl.DataFrame, entities: pl.DataFrame) -> pl.DataFrame:
    """The statements that name a place or a time."""
    situating = entities.filter(pl.col("label").is_in(situating_labels()))
    return statements.join(situating, on="statement_id", how="semi").select("statement_id", "text")


def _group_entities(entities: pl.DataFrame) -> dict[str, list[Entity]]:
    """The entities of each statement that has any, by statement id."""
    found: dict[str, list[Entity]] = {}
    for statement_id, start, end, label in entities.select("statement_id", "start", "end", "label").iter_rows():
        found.setdefault(statement_id, []).append(Entity(start, end, Label(label)))
    return found
