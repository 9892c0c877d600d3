"""What a reader is given of a statement: its entities and its other nouns."""

import polars as pl

from situatedgen.models.answering import answered
from situatedgen.models.roles import NounFinder
from situatedgen.params import KeywordParams
from situatedgen.schemas import KEYWORDS, LABEL
from situatedgen.vocabulary import GEO_LABELS, TEMP_LABELS, KeywordKind


def keyword_questions(statements: pl.DataFrame, entities: pl.DataFrame) -> pl.DataFrame:
    """The distinct texts whose nouns have to be found."""
    return _situated(statements, entities).select("text").unique().sort("text")


def keywords(
    statements: pl.DataFrame,
    entities: pl.DataFrame,
    *,
    params: KeywordParams,  # noqa: ARG001
    nouns: NounFinder,
) -> pl.DataFrame:
    """Find the keywords of every statement that names a place or a time."""
    asked = _situated(statements, entities)
    found = answered("nouns", nouns, keyword_questions(statements, entities))
    given = asked.join(found.filter(pl.col("starts").list.len() > 0), on="text").explode("starts", "ends")
    spans = _spans(entities, given.select("statement_id", start="starts", end="ends"))
    start, end = pl.col("start"), pl.col("end")
    surface = pl.col("text").str.slice(start, end - start)
    return KEYWORDS.select(asked.join(spans, on="statement_id"), ("statement_id", start, end, surface, "kind", "label"))


def _situated(statements: pl.DataFrame, entities: pl.DataFrame) -> pl.DataFrame:
    """The statements that name a place or a time."""
    situating = entities.filter(pl.col("label").is_in(GEO_LABELS | TEMP_LABELS))
    return statements.join(situating, on="statement_id", how="semi").select("statement_id", "text")


def _spans(entities: pl.DataFrame, nouns: pl.DataFrame) -> pl.DataFrame:
    """The entities, and the nouns that overlap none: what `rules.keywording.keywords_of` says, for all at once."""
    numbered = nouns.with_row_index("noun")
    beside = numbered.join(entities, on="statement_id", suffix="_named")
    meets = (pl.col("start") < pl.col("end_named")) & (pl.col("start_named") < pl.col("end"))
    apart = numbered.join(beside.filter(meets), on="noun", how="anti")
    named = entities.select("statement_id", "start", "end", pl.lit(KeywordKind.ENTITY.value).alias("kind"), "label")
    others = {"kind": pl.lit(KeywordKind.NOUN.value), "label": pl.lit(None, LABEL)}
    return pl.concat([named, apart.select("statement_id", "start", "end", **others)])
