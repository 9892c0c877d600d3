"""Sends a table of questions to a model of any role, checks the answers and returns them as columns."""

from collections.abc import Callable, Sequence
from dataclasses import astuple
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from situatedgen.errors import ModelError
from situatedgen.models.roles import Converter, Encoder, Judge, Lemmatiser, NounFinder, Parser, RowModel, Tagger
from situatedgen.records import Judgement, Question
from situatedgen.schemas import PROBABILITIES
from situatedgen.vocabulary import ItemKind

# Tolerance for float32 vectors; for any other length the dot product of two vectors would not be their cosine.
LENGTH_TOLERANCE = 1e-4


def check_count(model: str, asked: int, answered: int) -> None:
    """Raise if a model did not return exactly one answer per text.

    Raises:
        ModelError: there are more or fewer answers than texts.
    """
    if answered != asked:
        raise ModelError(f"the {model} returned {answered} answers, expected {asked}")


def check_probabilities(answers: Sequence[Judgement]) -> None:
    """Raise if a judge returned anything but probabilities.

    Raises:
        ModelError: a value is outside 0 to 1, or not a number.
    """
    wrong = next((each for each in answers if not all(0 <= value <= 1 for value in astuple(each))), None)
    if wrong is not None:
        raise ModelError(f"the judge returned {wrong}, expected probabilities between 0 and 1")


def check_vectors(vectors: NDArray[np.float32], texts: Sequence[str]) -> None:
    """Raise unless an encoder returned one float32 vector of unit length per text.

    Raises:
        ModelError: the type, the shape or the length of a vector is wrong.
    """
    if vectors.dtype != np.float32 or vectors.ndim != 2 or len(vectors) != len(texts):
        raise ModelError(
            f"the encoder returned {vectors.dtype} of shape {vectors.shape},"
            f" expected float32 with one row for each of {len(texts)} texts"
        )
    lengths = np.linalg.norm(vectors, axis=1)
    wrong = np.flatnonzero(~(np.abs(lengths - 1) <= LENGTH_TOLERANCE))
    if len(wrong):
        first = int(wrong[0])
        raise ModelError(f"the encoder's vector for {texts[first]!r} has length {lengths[first]}, expected 1")


OFFSETS = pl.List(pl.UInt32)
LABELS = pl.List(pl.String)
WORDS = {
    **dict.fromkeys(("start", "end"), OFFSETS),
    **dict.fromkeys(("lemma", "tag", "part", "role"), LABELS),
    "head": OFFSETS,
}
CONVERSION = {"text": pl.String, "shape": pl.String, "confidence": pl.Float64, "verdict": pl.String}


def convert_rows(model: Converter, asked: pl.DataFrame) -> pl.DataFrame:
    """The questions with their conversions."""
    answers = model.convert([Question(text, answer, ItemKind(kind)) for text, answer, kind in asked.iter_rows()])
    check_count("converter", asked.height, len(answers))
    rows = [(each.text, each.shape, each.confidence, each.verdict.value) for each in answers]
    return asked.hstack(pl.DataFrame(rows, schema=CONVERSION, orient="row"))


def tag_rows(model: Tagger, asked: pl.DataFrame) -> pl.DataFrame:
    """The texts with the start, end and label of each entity."""
    answers = model.tag(asked["text"].to_list())
    check_count("tagger", asked.height, len(answers))
    return asked.with_columns(
        pl.Series("starts", [[each.start for each in found] for found in answers], OFFSETS),
        pl.Series("ends", [[each.end for each in found] for found in answers], OFFSETS),
        pl.Series("labels", [[each.label.value for each in found] for found in answers], LABELS),
    )


def noun_rows(model: NounFinder, asked: pl.DataFrame) -> pl.DataFrame:
    """The texts with the start and end of each noun."""
    answers = model.find(asked["text"].to_list())
    check_count("noun finder", asked.height, len(answers))
    return asked.with_columns(
        pl.Series("starts", [[each.start for each in found] for found in answers], OFFSETS),
        pl.Series("ends", [[each.end for each in found] for found in answers], OFFSETS),
    )


def parse_rows(model: Parser, asked: pl.DataFrame) -> pl.DataFrame:
    """The texts with their words, one list column per field."""
    answers = model.parse(asked["text"].to_list())
    check_count("parser", asked.height, len(answers))
    return asked.with_columns(
        pl.Series(name, [[getattr(each, name) for each in found] for found in answers], dtype)
        for name, dtype in WORDS.items()
    )


def lemma_rows(model: Lemmatiser, asked: pl.DataFrame) -> pl.DataFrame:
    """The texts with the lemmas of their nouns and verbs, and the part of speech of each."""
    answers = model.lemmatise(asked["text"].to_list())
    check_count("lemmatiser", asked.height, len(answers))
    return asked.with_columns(
        pl.Series("lemmas", [[each.text for each in found] for found in answers], LABELS),
        pl.Series("parts", [[each.part for each in found] for found in answers], LABELS),
    )


def encode_rows(model: Encoder, asked: pl.DataFrame) -> pl.DataFrame:
    """The texts with their vectors."""
    texts = asked["text"].to_list()
    vectors = model.encode(texts)
    check_vectors(vectors, texts)
    return asked.with_columns(pl.Series("vector", vectors, pl.Array(pl.Float32, vectors.shape[1])))


def judge_rows(model: Judge, asked: pl.DataFrame) -> pl.DataFrame:
    """The pairs of sentences with the probability that each is valid, and its parts."""
    answers = model.judge(asked.select("left", "right").rows())
    check_count("judge", asked.height, len(answers))
    check_probabilities(answers)
    return asked.with_columns(
        pl.Series(name, [getattr(each, name) for each in answers], pl.Float32) for name in PROBABILITIES
    )


ROW_FUNCTIONS: dict[str, Callable[[Any, pl.DataFrame], pl.DataFrame]] = {  # Any: a Protocol of `roles`, by role
    "converter": convert_rows,
    "tagger": tag_rows,
    "nouns": noun_rows,
    "parser": parse_rows,
    "lemmatiser": lemma_rows,
    "encoder": encode_rows,
    "judge": judge_rows,
}


def answer_rows(role: str, model: Any, asked: pl.DataFrame) -> pl.DataFrame:  # Any: as above
    """The questions with the model's answers; a `RowModel` is asked for the rows directly."""
    return model.rows(asked) if isinstance(model, RowModel) else ROW_FUNCTIONS[role](model, asked)
