"""The stages `shortlist` and `judged`: a cheap judge scores all pairs, an expensive one those that pass."""

from collections.abc import Mapping

import polars as pl

from situatedgen.models.batches import answer_rows
from situatedgen.models.roles import Judge, RowModel
from situatedgen.params import JudgedParams, ShortlistParams
from situatedgen.schemas import JUDGED, PROBABILITIES, VERDICT
from situatedgen.vocabulary import Verdict

TEXTS = ("left", "right")
VERDICTS = {"probability": Verdict.IMPROBABLE, "fluent": Verdict.NOT_FLUENT, "common": Verdict.NOT_COMMON}
"""The verdict for each score that is too low, in the order in which the scores are checked."""


def judge_questions(statements: pl.DataFrame, pairs: pl.DataFrame) -> pl.DataFrame:
    """The distinct pairs of texts to send to the judge; the order of the two texts does not matter."""
    return _with_texts(statements, _filter_kept(pairs)).select(TEXTS).unique().sort(TEXTS)


def shortlist(
    statements: pl.DataFrame, pairs: pl.DataFrame, *, params: ShortlistParams, judge: Judge | RowModel | None = None
) -> pl.DataFrame:
    """Score all pairs with a cheap judge and reject those below the threshold; without a judge, keep all."""
    unknown = pairs.with_columns(pl.lit(None, pl.Float32).alias(name) for name in PROBABILITIES)
    return _apply_judge(statements, unknown, judge, {"probability": params.min_probability})


def judged(
    statements: pl.DataFrame, shortlist: pl.DataFrame, *, params: JudgedParams, judge: Judge | RowModel | None = None
) -> pl.DataFrame:
    """Score the shortlisted pairs with the judge and reject those below the thresholds; without one, keep all."""
    least = {"probability": params.min_probability, "fluent": params.min_fluent, "common": params.min_common}
    return _apply_judge(statements, shortlist, judge, least)


def _apply_judge(
    statements: pl.DataFrame, pairs: pl.DataFrame, judge: Judge | RowModel | None, least: Mapping[str, float]
) -> pl.DataFrame:
    """Score the pairs that the previous stage kept and reject those below a limit; a missing score rejects nothing."""
    kept = _filter_kept(pairs)
    found = kept if judge is None or kept.is_empty() else _with_answers(statements, kept, judge)
    broken = [
        pl.when(pl.col(name) < pl.lit(limit, pl.Float32)).then(pl.lit(VERDICTS[name], VERDICT))
        for name, limit in least.items()
    ]
    return found.with_columns(verdict=pl.coalesce(*broken, "verdict")).select(list(JUDGED.columns)).sort(JUDGED.key)


def _with_answers(statements: pl.DataFrame, pairs: pl.DataFrame, judge: Judge | RowModel) -> pl.DataFrame:
    asked = _with_texts(statements, pairs.drop(PROBABILITIES))
    answers = answer_rows("judge", judge, asked.select(TEXTS).unique().sort(TEXTS))
    return asked.join(answers, on=TEXTS)


def _with_texts(statements: pl.DataFrame, pairs: pl.DataFrame) -> pl.DataFrame:
    """The pairs with their two texts, in alphabetical order."""
    texts = statements.select("statement_id", "text")
    both = pairs.join(texts, left_on="left_id", right_on="statement_id").join(
        texts, left_on="right_id", right_on="statement_id", suffix="_other"
    )
    is_ordered = pl.col("text") <= pl.col("text_other")
    first, second = pl.when(is_ordered).then("text"), pl.when(is_ordered).then("text_other")
    return both.with_columns(left=first.otherwise("text_other"), right=second.otherwise("text")).drop(
        "text", "text_other"
    )


def _filter_kept(pairs: pl.DataFrame) -> pl.DataFrame:
    return pairs.filter(pl.col("verdict") == Verdict.KEPT)
