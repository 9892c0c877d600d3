"""The stage `statements`: one declarative sentence per item."""

import polars as pl

from situatedgen.errors import ModelError
from situatedgen.models.batches import CONVERSION, answer_rows
from situatedgen.models.roles import Converter, RowModel
from situatedgen.params import StatementParams
from situatedgen.rules.text import is_clean, tidy_sentence
from situatedgen.schemas import STATEMENTS
from situatedgen.vocabulary import ItemKind, Verdict

CLAIM_SHAPE = "claim"
QUESTION = ("question", "answer", "kind")


def statement_questions(items: pl.DataFrame) -> pl.DataFrame:
    """The distinct questions to send to the converter."""
    return _question_items(items).select(QUESTION).unique(maintain_order=True)


def statements(items: pl.DataFrame, *, params: StatementParams, converter: Converter | RowModel) -> pl.DataFrame:
    """Turn each kept item into a declarative sentence: claims are tidied, questions are converted."""
    kept = items.filter(pl.col("verdict") == Verdict.KEPT).drop("verdict")
    claims = kept.filter(pl.col("kind") == ItemKind.CLAIM).select("item_id", "source", **_claim_columns())
    asked = _question_items(items)
    made = pl.concat([claims, _convert_questions(asked, statement_questions(items), converter)])
    _check_confidence(made)
    return STATEMENTS.select(_tidy_texts(made), ("item_id", "source", "text", "shape", "confidence", _verdict(params)))


def _claim_columns() -> dict[str, pl.Expr]:
    """Columns that give a claim the form of a conversion."""
    sure = {"shape": pl.lit(CLAIM_SHAPE), "confidence": pl.lit(1.0), "verdict": pl.lit(Verdict.KEPT.value)}
    return {"text": pl.col("statement"), **sure}


def _question_items(items: pl.DataFrame) -> pl.DataFrame:
    """The kept items that are questions."""
    is_asked = (pl.col("verdict") == Verdict.KEPT) & (pl.col("kind") != ItemKind.CLAIM)
    return items.filter(is_asked).select("item_id", "source", *(pl.col(name).cast(pl.String) for name in QUESTION))


def _convert_questions(asked: pl.DataFrame, distinct: pl.DataFrame, converter: Converter | RowModel) -> pl.DataFrame:
    """The conversion of each question; every distinct question is sent to the converter once."""
    if asked.is_empty():
        return asked.select("item_id", "source", **{name: pl.lit(None, dtype) for name, dtype in CONVERSION.items()})
    found = answer_rows("converter", converter, distinct)
    return asked.join(found, on=QUESTION, how="left", maintain_order="left").select("item_id", "source", *CONVERSION)


def _check_confidence(made: pl.DataFrame) -> None:
    wrong = made.filter(~pl.col("confidence").is_between(0, 1)).select("confidence", "text")
    for confidence, text in wrong.iter_rows():
        raise ModelError(
            f"the converter returned the confidence {confidence} for {tidy_sentence(text)!r}; expected 0 to 1"
        )


def _tidy_texts(made: pl.DataFrame) -> pl.DataFrame:
    """The texts tidied into statements, and whether each is clean."""
    texts = [tidy_sentence(text) for text in made["text"]]
    clean = [is_clean(text) for text in texts]
    return made.with_columns(pl.Series("text", texts, pl.String), pl.Series("clean", clean, pl.Boolean))


def _verdict(params: StatementParams) -> pl.Expr:
    """The converter's verdict if it rejects the text, else that of the checks for cleanness and confidence."""
    return (
        pl.when(pl.col("verdict") != Verdict.KEPT.value)
        .then("verdict")
        .when(~pl.col("clean"))
        .then(pl.lit(Verdict.NOT_CLEAN.value))
        .when(pl.col("confidence") < params.min_confidence)
        .then(pl.lit(Verdict.UNSURE.value))
        .otherwise(pl.lit(Verdict.KEPT.value))
    )
