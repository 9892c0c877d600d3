"""Model answers checked and put into tables: as many as questions, in their order."""

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

# Of vectors in float32; a longer or shorter one would make a cosine of the product of two untrue.
LENGTH_TOLERANCE = 1e-4


def check_count(model: str, asked: int, answered: int) -> None:
    """Raise when a model did not answer every text once.

    Raises:
        ModelError: it gave more or fewer answers.
    """
    if answered != asked:
        raise ModelError(f"the {model} answered {answered} texts, expected {asked}")


def check_probabilities(answers: Sequence[Judgement]) -> None:
    """Raise when a judge did not answer with probabilities.

    Raises:
        ModelError: a value lies outside 0 to 1, or is not a number.
    """
    wrong = next((each for each in answers if not all(0 <= value <= 1 for value in astuple(each))), None)
    if wrong is not None:
        raise ModelError(f"the judge answered {wrong}, expected probabilities between 0 and 1")


def check_vectors(vectors: NDArray[np.float32], texts: Sequence[str]) -> None:
    """Raise when an encoder did not answer with one float32 vector of unit length a text.

    Raises:
        ModelError: another type or shape, or a vector of another length.
    """
    if vectors.dtype != np.float32 or vectors.ndim != 2 or len(vectors) != len(texts):
        raise ModelError(
            f"the encoder answered {vectors.dtype} of shape {vectors.shape},"
            f" expected float32 and a row for each of {len(texts)} texts"
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
