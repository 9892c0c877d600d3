"""Nouns by the small English spaCy model."""

from collections.abc import Sequence

from spacy.tokens import Doc

from situatedgen.models.spacy_model import parse, require
from situatedgen.params import ModelParams
from situatedgen.records import Span
from situatedgen.rules.nouns import Word, nouns_of
from situatedgen.runtime import Runtime

UNUSED = ("parser", "lemmatizer", "ner")


class SpacyNouns:
    """Takes the words that spaCy tags as nouns or proper nouns."""

    def __init__(self, params: ModelParams, runtime: Runtime) -> None:  # noqa: ARG002
        require(params)

    def find(self, texts: Sequence[str]) -> list[tuple[Span, ...]]:
        """The nouns of each text, a span a word; what has no letter is no noun."""
        return [_nouns(doc) for doc in parse(texts, disable=UNUSED)]


def _nouns(doc: Doc) -> tuple[Span, ...]:
    chosen = nouns_of([Word(token.text, token.pos_, token.tag_) for token in doc])
    return tuple(Span(token.idx, token.idx + len(token)) for token, is_noun in zip(doc, chosen, strict=True) if is_noun)
