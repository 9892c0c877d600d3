"""Where the named entities of a statement stand."""

import polars as pl

from situatedgen.models.answers import check_count
from situatedgen.models.roles import Tagger
from situatedgen.params import EntityParams
from situatedgen.schemas import ENTITIES
from situatedgen.vocabulary import Verdict


def entities(statements: pl.DataFrame, *, params: EntityParams, tagger: Tagger) -> pl.DataFrame:  # noqa: ARG001
    """Find the named entities of every kept statement."""
    kept = statements.filter(pl.col("verdict") == Verdict.KEPT).select("statement_id", "text")
    texts = kept["text"].unique().sort().to_list()
    answers = tagger.tag(texts)
    check_count("tagger", len(texts), len(answers))
    found = {text: answer for text, answer in zip(texts, answers, strict=True) if answer}
    return ENTITIES.frame(
        [
            (statement_id, entity.start, entity.end, text[entity.start : entity.end], entity.label.value)
            for statement_id, text in kept.filter(pl.col("text").is_in(list(found))).iter_rows()
            for entity in found[text]
        ]
    )
