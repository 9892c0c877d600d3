"""How the words of a statement hang together."""

import polars as pl

from situatedgen.models.answers import check_count
from situatedgen.models.roles import Parser
from situatedgen.params import ParseParams
from situatedgen.schemas import PARSES
from situatedgen.vocabulary import Verdict


def parses(
    statements: pl.DataFrame,
    masks: pl.DataFrame,
    *,
    params: ParseParams,  # noqa: ARG001
    parser: Parser,
) -> pl.DataFrame:
    """Parse every statement that may stand in a pair."""
    kept = masks.filter(pl.col("verdict") == Verdict.KEPT)
    asked = statements.join(kept, on="statement_id", how="semi").select("statement_id", "text")
    texts = asked["text"].unique().sort().to_list()
    answers = parser.parse(texts)
    check_count("parser", len(texts), len(answers))
    found = dict(zip(texts, answers, strict=True))
    return PARSES.frame([(statement_id, *word) for statement_id, text in asked.iter_rows() for word in found[text]])
