"""Items into statements."""

from collections.abc import Sequence

import polars as pl

from situatedgen.errors import ModelError
from situatedgen.models.answers import check_count
from situatedgen.models.roles import Converter
from situatedgen.params import StatementParams
from situatedgen.records import Conversion, Question
from situatedgen.rules.cleanness import is_clean
from situatedgen.rules.tidy import tidy_sentence
from situatedgen.schemas import STATEMENTS
from situatedgen.vocabulary import ItemKind, Verdict

CLAIM_SHAPE = "claim"


def statements(items: pl.DataFrame, *, params: StatementParams, converter: Converter) -> pl.DataFrame:
    """One declarative sentence per kept item: claims tidied, questions stated by the converter."""
    kept = items.filter(pl.col("verdict") == Verdict.KEPT)
    claims = kept.filter(pl.col("kind") == ItemKind.CLAIM).select("item_id", "source", "statement")
    asked = kept.filter(pl.col("kind") != ItemKind.CLAIM)
    conversions = _converted(_questions(asked), converter)
    rows = [(item_id, source, _stated(text)) for item_id, source, text in claims.iter_rows()]
    rows += zip(asked["item_id"], asked["source"], conversions, strict=True)
    return STATEMENTS.frame([_row(*row, params) for row in rows])


def _questions(asked: pl.DataFrame) -> list[Question]:
    columns = asked.select("question", "answer", "kind").iter_rows()
    return [Question(text, answer, ItemKind(kind)) for text, answer, kind in columns]


def _converted(questions: Sequence[Question], converter: Converter) -> list[Conversion]:
    """The conversion of each question; each distinct one is asked for once."""
    distinct = list(dict.fromkeys(questions))
    answers = converter.convert(distinct) if distinct else []
    check_count("converter", len(distinct), len(answers))
    by_question = dict(zip(distinct, answers, strict=True))
    return [by_question[question] for question in questions]


def _stated(claim: str) -> Conversion:
    return Conversion(claim, CLAIM_SHAPE, 1.0, Verdict.KEPT)


def _row(
    item_id: str, source: str, conversion: Conversion, params: StatementParams
) -> tuple[str, str, str, str, float, Verdict]:
    text = tidy_sentence(conversion.text)
    verdict = _verdict(text, conversion, params)
    return item_id, source, text, conversion.shape, conversion.confidence, verdict


def _verdict(text: str, conversion: Conversion, params: StatementParams) -> Verdict:
    if not 0 <= conversion.confidence <= 1:
        raise ModelError(f"the converter is {conversion.confidence} sure of {text!r}; expected 0 to 1")
    if conversion.verdict != Verdict.KEPT:
        return conversion.verdict
    if not is_clean(text):
        return Verdict.NOT_CLEAN
    return Verdict.UNSURE if conversion.confidence < params.min_confidence else Verdict.KEPT
