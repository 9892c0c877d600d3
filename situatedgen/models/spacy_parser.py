"""Parses by the small English spaCy model, with lemmas from lemminflect."""

from collections.abc import Sequence
from functools import lru_cache

from spacy.tokens import Doc
from spacy.tokens import Token as SpacyToken

from situatedgen.models.spacy_model import parse, require
from situatedgen.params import ModelParams
from situatedgen.records import Token
from situatedgen.rules.dictionary import base_forms
from situatedgen.runtime import Runtime

UNUSED = ("ner",)
INFLECTED = frozenset({"NOUN", "VERB", "AUX", "ADJ", "ADV"})


class SpacyParser:
    """Takes spaCy's parts of speech and dependencies."""

    def __init__(self, params: ModelParams, runtime: Runtime) -> None:  # noqa: ARG002
        require(params)

    def parse(self, texts: Sequence[str]) -> list[tuple[Token, ...]]:
        """The words of each text."""
        return [_tokens(doc) for doc in parse(texts, disable=UNUSED)]


def _tokens(doc: Doc) -> tuple[Token, ...]:
    return tuple(map(_token, doc))


def _token(word: SpacyToken) -> Token:
    lemma = _lemma(word.text, word.pos_)
    return Token(word.idx, word.idx + len(word.text), lemma, word.tag_, word.pos_, word.dep_, word.head.i)


@lru_cache(maxsize=1 << 16)
def _lemma(text: str, part: str) -> str:
    """A word's form in the dictionary, in small letters."""
    found = base_forms(text, part) if part in INFLECTED else ()
    return str(found[0]).lower() if found else text.lower()
