"""Which pairs are probably valid, as judges see it: a cheap one first, a dear one of what that lets through."""

import polars as pl

from situatedgen.models.answering import answered
from situatedgen.models.roles import Judge, RowModel
from situatedgen.params import JudgedParams, ShortlistParams
from situatedgen.schemas import JUDGED, PROBABILITIES, VERDICT
from situatedgen.vocabulary import Verdict

TEXTS = ("left", "right")


def judge_questions(statements: pl.DataFrame, pairs: pl.DataFrame) -> pl.DataFrame:
    """The distinct pairs of texts that are to be judged: two texts are one question, whichever stands first."""
    return _texts(statements, _kept(pairs)).select(TEXTS).unique().sort(TEXTS)


def shortlist(
    statements: pl.DataFrame, pairs: pl.DataFrame, *, params: ShortlistParams, judge: Judge | RowModel | None = None
) -> pl.DataFrame:
    """Ask a cheap judge how probably each pair is valid; without one all pairs stay, and nothing is known of them."""
    unknown = pairs.with_columns(pl.lit(None, pl.Float32).alias(name) for name in PROBABILITIES)
    return _weighed(statements, unknown, params.min_probability, judge)


def judged(
    statements: pl.DataFrame, shortlist: pl.DataFrame, *, params: JudgedParams, judge: Judge | RowModel | None = None
) -> pl.DataFrame:
    """Ask the judge how probably each pair of the shortlist is valid; without one the shortlist's values stand."""
    return _weighed(statements, shortlist, params.min_probability, judge)


def _weighed(
    statements: pl.DataFrame, pairs: pl.DataFrame, least: float, judge: Judge | RowModel | None
) -> pl.DataFrame:
    """The pairs that the stage before kept, of which the improbable are out; nothing known is no reason to go."""
    kept = _kept(pairs)
    found = kept if judge is None or kept.is_empty() else _with_answers(statements, kept, judge)
    improbable = pl.when(pl.col("probability") < pl.lit(least, pl.Float32)).then(pl.lit(Verdict.IMPROBABLE, VERDICT))
    return found.with_columns(verdict=improbable.otherwise("verdict")).select(list(JUDGED.columns)).sort(JUDGED.key)


def _with_answers(statements: pl.DataFrame, pairs: pl.DataFrame, judge: Judge | RowModel) -> pl.DataFrame:
    asked = _texts(statements, pairs.drop(PROBABILITIES))
    answers = answered("judge", judge, asked.select(TEXTS).unique().sort(TEXTS))
    return asked.join(answers, on=TEXTS)


def _texts(statements: pl.DataFrame, pairs: pl.DataFrame) -> pl.DataFrame:
    """The pairs with their two texts in alphabetical order."""
    texts = statements.select("statement_id", "text")
    both = pairs.join(texts, left_on="left_id", right_on="statement_id").join(
        texts, left_on="right_id", right_on="statement_id", suffix="_other"
    )
    is_ordered = pl.col("text") <= pl.col("text_other")
    first, second = pl.when(is_ordered).then("text"), pl.when(is_ordered).then("text_other")
    return both.with_columns(left=first.otherwise("text_other"), right=second.otherwise("text")).drop(
        "text", "text_other"
    )


def _kept(pairs: pl.DataFrame) -> pl.DataFrame:
    return pairs.filter(pl.col("verdict") == Verdict.KEPT)
