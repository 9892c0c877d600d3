"""The stage `selected`: the judged pairs that enter the dataset, limited per sentence and predicate for breadth."""

from collections.abc import Iterable

import numpy as np
import polars as pl

from situatedgen.params import SelectedParams
from situatedgen.records import Token
from situatedgen.rules.selection import Offer, content_of, family_of, selection
from situatedgen.schemas import JUDGED, VERDICT
from situatedgen.vocabulary import Verdict


def selected(
    statements: pl.DataFrame, parses: pl.DataFrame, judged: pl.DataFrame, *, params: SelectedParams
) -> pl.DataFrame:
    """Select the most probable pairs, limited per sentence and per predicate; without limits, keep all.

    A less probable pair is selected only if one of its sentences would otherwise not be in the dataset.
    """
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
    may_repeat = best["probability"].fill_null(1.0) >= np.float32(params.min_repeat_probability)
    verdicts = selection(
        _offers(best, statements, parses, may_repeat),
        max_pairs=params.max_pairs_per_statement or kept.height,
        max_share=params.max_family_share,
    )
    return best.with_columns(pl.Series("verdict", verdicts, VERDICT)).sort(JUDGED.key)


def _offers(
    pairs: pl.DataFrame, statements: pl.DataFrame, parses: pl.DataFrame, may_repeat: Iterable[bool]
) -> list[Offer]:
    """The pairs in the form that the selection rules take, in the same order."""
    ids = pl.concat([pairs["left_id"], pairs["right_id"]]).unique().to_frame("statement_id")
    texts = statements.join(ids, on="statement_id", how="semi").select("statement_id", "text")
    contents = {statement_id: content_of(text) for statement_id, text in texts.iter_rows()}
    families = families_of(parses.join(ids, on="statement_id", how="semi"))
    return [
        Offer((contents[left], contents[right]), (families.get(left, ""), families.get(right, "")), repeats)
        for (left, right), repeats in zip(pairs.select("left_id", "right_id").iter_rows(), may_repeat, strict=True)
    ]


def families_of(parses: pl.DataFrame) -> dict[str, str]:
    """The family (predicate) of each parsed statement, by statement id."""
    words: dict[str, list[Token]] = {}
    for statement_id, *values in parses.sort("statement_id", "start").iter_rows():
        words.setdefault(statement_id, []).append(Token(*values))
    return {statement_id: family_of(each) for statement_id, each in words.items()}
