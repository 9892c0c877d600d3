"""What a reader is given of a statement: its entities and its other nouns."""

from collections.abc import Iterator

import polars as pl

from situatedgen.models.answers import check_count
from situatedgen.models.roles import NounFinder
from situatedgen.params import KeywordParams
from situatedgen.records import Entity, Span
from situatedgen.rules.keywording import keywords_of
from situatedgen.schemas import KEYWORDS
from situatedgen.vocabulary import GEO_LABELS, TEMP_LABELS, Label


def keywords(
    statements: pl.DataFrame,
    entities: pl.DataFrame,
    *,
    params: KeywordParams,  # noqa: ARG001
    nouns: NounFinder,
) -> pl.DataFrame:
    """Find the keywords of every statement that names a place or a time."""
    named = _by_statement(entities)
    situated = statements.filter(pl.col("statement_id").is_in(list(named))).select("statement_id", "text")
    texts = situated["text"].unique().sort().to_list()
    answers = nouns.find(texts)
    check_count("noun finder", len(texts), len(answers))
    found = dict(zip(texts, answers, strict=True))
    rows = (
        row
        for statement_id, text in situated.iter_rows()
        for row in _rows(statement_id, text, named[statement_id], found[text])
    )
    return KEYWORDS.frame(list(rows))


def _by_statement(entities: pl.DataFrame) -> dict[str, list[Entity]]:
    """The entities of each statement that has a place or a time among them."""
    situated = entities.filter(pl.col("label").is_in(GEO_LABELS | TEMP_LABELS))
    chosen = entities.join(situated, on="statement_id", how="semi", maintain_order="left")
    named: dict[str, list[Entity]] = {}
    for statement_id, start, end, label in chosen.select("statement_id", "start", "end", "label").iter_rows():
        named.setdefault(statement_id, []).append(Entity(start, end, Label(label)))
    return named


def _rows(
    statement_id: str, text: str, entities: list[Entity], nouns: tuple[Span, ...]
) -> Iterator[tuple[object, ...]]:
    for keyword in keywords_of(entities, nouns):
        surface = text[keyword.start : keyword.end]
        yield statement_id, keyword.start, keyword.end, surface, keyword.kind, keyword.label
