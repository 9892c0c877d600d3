"""The stage `selected`: the judged pairs that enter the dataset, limited per sentence and predicate for breadth."""

import polars as pl

from situatedgen.params import SelectedParams
from situatedgen.records import Token
from situatedgen.rules.selection import Offer, content_of, family_of, selection
from situatedgen.schemas import JUDGED, VERDICT
from situatedgen.vocabulary import Verdict


def selected(
    statements: pl.DataFrame, parses: pl.DataFrame, judged: pl.DataFrame, *, params: SelectedParams
) -> pl.DataFrame:
    """Select the most probable pairs, limited per sentence and per predicate; without limits, keep all."""
    kept = judged.filter(pl.col("verdict") == Verdict.KEPT)
    if not params.max_pairs_per_statement and params.max_family_share == 1:
        return kept
    best = kept.sort(
        "probability",
        "similarity",
        "left_id",
        "right_id",
        descending=[True, True, False, False],
        nulls_last=True,
    )
    verdicts = selection(
        _offers(best, statements, parses),
        max_pairs=params.max_pairs_per_statement or kept.height,
        max_share=params.max_family_share,
    )
    return best.with_columns(pl.Series("verdict", verdicts, VERDICT)).sort(JUDGED.key)


def _offers(pairs: pl.DataFrame, statements: pl.DataFrame, parses: pl.DataFrame) -> list[Offer]:
    """The pairs in the form that the selection rules take, in the same order."""
    ids = pl.concat([pairs["left_id"], pairs["right_id"]]).unique().to_frame("statement_id")
    texts = statements.join(ids, on="statement_id", how="semi").select("statement_id", "text")
    contents = {statement_id: content_of(text) for statement_id, text in texts.iter_rows()}
    families = _families(parses.join(ids, on="statement_id", how="semi"))
    return [
        Offer((contents[left], contents[right]), (families.get(left, ""), families.get(right, "")))
        for left, right in pairs.select("left_id", "right_id").iter_rows()
    ]


def _families(parses: pl.DataFrame) -> dict[str, str]:
    """The family (predicate) of each parsed statement, by statement id."""
    words: dict[str, list[Token]] = {}
    for statement_id, *values in parses.sort("statement_id", "start").iter_rows():
        words.setdefault(statement_id, []).append(Token(*values))
    return {statement_id: family_of(each) for statement_id, each in words.items()}
