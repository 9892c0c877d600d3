"""Nouns by the small English spaCy model."""

from collections.abc import Sequence

from spacy.tokens import Doc, Token

from situatedgen.models.spacy_model import parse, require
from situatedgen.params import ModelParams
from situatedgen.progress import advance
from situatedgen.records import Span
from situatedgen.runtime import Runtime

UNUSED = ("parser", "lemmatizer", "ner")
NOUNS = frozenset({"NOUN", "PROPN"})


class SpacyNouns:
    """Takes the words that spaCy tags as nouns or proper nouns."""

    def __init__(self, params: ModelParams, runtime: Runtime) -> None:
        require(params)
        self._batch_size = runtime.batch_size

    def find(self, texts: Sequence[str]) -> list[tuple[Span, ...]]:
        """The nouns of each text, a span a word; what has no letter is no noun."""
        found = []
        for doc in parse(texts, disable=UNUSED, batch_size=self._batch_size):
            found.append(_nouns(doc))
            advance(1)
        return found


def _nouns(doc: Doc) -> tuple[Span, ...]:
    return tuple(Span(token.idx, token.idx + len(token)) for token in doc if _is_noun(token))


def _is_noun(token: Token) -> bool:
    return token.pos_ in NOUNS and any(letter.isalpha() for letter in token.text)
