"""What a model answers, as rows: the questions with the answers beside them, checked."""

from collections.abc import Callable
from typing import Any

import polars as pl

from situatedgen.models.answers import check_count, check_probabilities, check_vectors
from situatedgen.models.roles import Converter, Encoder, Judge, Lemmatiser, NounFinder, Parser, RowModel, Tagger
from situatedgen.records import Question
from situatedgen.schemas import PROBABILITIES
from situatedgen.vocabulary import ItemKind

OFFSETS = pl.List(pl.UInt32)
LABELS = pl.List(pl.String)
WORDS = {
    **dict.fromkeys(("start", "end"), OFFSETS),
    **dict.fromkeys(("lemma", "tag", "part", "role"), LABELS),
    "head": OFFSETS,
}
CONVERSION = {"text": pl.String, "shape": pl.String, "confidence": pl.Float64, "verdict": pl.String}


def converted(model: Converter, asked: pl.DataFrame) -> pl.DataFrame:
    """Questions with their conversions."""
    answers = model.convert([Question(text, answer, ItemKind(kind)) for text, answer, kind in asked.iter_rows()])
    check_count("converter", asked.height, len(answers))
    rows = [(each.text, each.shape, each.confidence, each.verdict.value) for each in answers]
    return asked.hstack(pl.DataFrame(rows, schema=CONVERSION, orient="row"))


def tagged(model: Tagger, asked: pl.DataFrame) -> pl.DataFrame:
    """Texts with where their entities begin and end, and their labels."""
    answers = model.tag(asked["text"].to_list())
    check_count("tagger", asked.height, len(answers))
    return asked.with_columns(
        pl.Series("starts", [[each.start for each in found] for found in answers], OFFSETS),
        pl.Series("ends", [[each.end for each in found] for found in answers], OFFSETS),
        pl.Series("labels", [[each.label.value for each in found] for found in answers], LABELS),
    )


def found_nouns(model: NounFinder, asked: pl.DataFrame) -> pl.DataFrame:
    """Texts with where their nouns begin and end."""
    answers = model.find(asked["text"].to_list())
    check_count("noun finder", asked.height, len(answers))
    return asked.with_columns(
        pl.Series("starts", [[each.start for each in found] for found in answers], OFFSETS),
        pl.Series("ends", [[each.end for each in found] for found in answers], OFFSETS),
    )


def parsed(model: Parser, asked: pl.DataFrame) -> pl.DataFrame:
    """Texts with their words, a list a field."""
    answers = model.parse(asked["text"].to_list())
    check_count("parser", asked.height, len(answers))
    return asked.with_columns(
        pl.Series(name, [[getattr(each, name) for each in found] for found in answers], dtype)
        for name, dtype in WORDS.items()
    )


def lemmatised(model: Lemmatiser, asked: pl.DataFrame) -> pl.DataFrame:
    """Texts with their nouns and verbs in their dictionary forms, and which part of speech each is."""
    answers = model.lemmatise(asked["text"].to_list())
    check_count("lemmatiser", asked.height, len(answers))
    return asked.with_columns(
        pl.Series("lemmas", [[each.text for each in found] for found in answers], LABELS),
        pl.Series("parts", [[each.part for each in found] for found in answers], LABELS),
    )


def encoded(model: Encoder, asked: pl.DataFrame) -> pl.DataFrame:
    """Texts with their vectors."""
    texts = asked["text"].to_list()
    vectors = model.encode(texts)
    check_vectors(vectors, texts)
    return asked.with_columns(pl.Series("vector", vectors, pl.Array(pl.Float32, vectors.shape[1])))


def judged(model: Judge, asked: pl.DataFrame) -> pl.DataFrame:
    """Pairs of sentences with how probable it is that each is valid, and its parts."""
    answers = model.judge(asked.select("left", "right").rows())
    check_count("judge", asked.height, len(answers))
    check_probabilities(answers)
    return asked.with_columns(
        pl.Series(name, [getattr(each, name) for each in answers], pl.Float32) for name in PROBABILITIES
    )


ANSWERING: dict[str, Callable[[Any, pl.DataFrame], pl.DataFrame]] = {  # Any: a Protocol of `roles`, by role
    "converter": converted,
    "tagger": tagged,
    "nouns": found_nouns,
    "parser": parsed,
    "lemmatiser": lemmatised,
    "encoder": encoded,
    "judge": judged,
}


def answered(role: str, model: Any, asked: pl.DataFrame) -> pl.DataFrame:  # Any: as above
    """Questions with what a model answers, asked for rows where it has them."""
    return model.rows(asked) if isinstance(model, RowModel) else ANSWERING[role](model, asked)
