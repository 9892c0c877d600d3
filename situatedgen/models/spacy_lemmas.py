"""Nouns and verbs in their dictionary forms, by the small English spaCy model."""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from situatedgen.evaluation.lemmas import analysed
from situatedgen.models.spacy_model import require
from situatedgen.params import ModelParams
from situatedgen.records import Lemma
from situatedgen.runtime import Runtime

if TYPE_CHECKING:
    from spacy.tokens import Doc

PARTS = {"NOUN": "N", "VERB": "V"}


class SpacyLemmas:
    """Takes the words that spaCy tags as common nouns or verbs; names and auxiliaries are neither."""

    def __init__(self, params: ModelParams, runtime: Runtime) -> None:  # noqa: ARG002
        require(params)

    def lemmatise(self, texts: Sequence[str]) -> list[tuple[Lemma, ...]]:
        """The nouns and verbs of each text; what is not made of letters is no word."""
        return [_lemmas(doc) for doc in analysed(texts)]


def _lemmas(doc: "Doc") -> tuple[Lemma, ...]:
    words = ((token.lemma_.lower(), PARTS.get(token.pos_)) for token in doc)
    return tuple(_lemma(lemma, part) for lemma, part in words if part and lemma.isalpha())


@cache
def _lemma(text: str, part: str) -> Lemma:
    return Lemma(text, part)
