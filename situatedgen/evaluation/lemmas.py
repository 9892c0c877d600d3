"""Sentences as lemmas: one pass over each distinct sentence, shared by all who ask."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from situatedgen.models.importing import imported
from situatedgen.models.weights import check_package

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

    from situatedgen.models.spacy_parts import PartsOfSpeech

SPACY = ("spacy",)
BATCH = 512
NAME = "lemmatizer"


@dataclass(frozen=True, slots=True)
class Lemmas:
    """A text and its words: where each starts, as it stands in lower case, and its lemma."""

    text: str
    starts: tuple[int, ...]
    words: tuple[str, ...]
    lemmas: tuple[str, ...]


class Lemmatiser:
    """Remembers the lemmas of every text that it was asked about."""

    def __init__(self) -> None:
        self._known: dict[str, Lemmas] = {}

    def learn(self, texts: Iterable[str]) -> None:
        """Analyse the texts that are new, in one pass."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        for doc in analysed(new):
            self._known[doc.text] = _lemmas(doc)

    def __getitem__(self, text: str) -> Lemmas:
        """The lemmas of a text."""
        if text not in self._known:
            self.learn([text])
        return self._known[text]


def analysed(texts: Sequence[str], *, batch_size: int = BATCH) -> "Iterator[Doc]":
    """Each text with parts of speech and lemmas, in order."""
    pipeline, parts = _pipeline()
    lemmatise = pipeline.get_pipe(NAME)
    for doc in pipeline.pipe(texts, batch_size=batch_size, disable=[_model().RULER, NAME]):
        yield lemmatise(parts(doc))


def signature() -> str:
    """The name and version of what makes the lemmas."""
    weights = _model().WEIGHTS
    return f"spacy-{version('spacy')}/{weights}-{version(weights)}"


@cache
def _pipeline() -> "tuple[Language, PartsOfSpeech]":
    weights = _model().WEIGHTS
    check_package(weights)
    pipeline = imported("spacy", SPACY).load(weights, exclude=["parser", "senter", "ner"])
    parts = imported("situatedgen.models.spacy_parts", SPACY)
    return pipeline, parts.PartsOfSpeech(pipeline.get_pipe(_model().RULER))


def _model() -> Any:  # Any: a module, imported without PyTorch
    return imported("situatedgen.models.spacy_model", SPACY)


def _lemmas(doc: "Doc") -> Lemmas:
    words = [token for token in doc if not token.is_space]
    return Lemmas(
        doc.text,
        tuple(word.idx for word in words),
        tuple(word.lower_ for word in words),
        tuple(word.lemma_.lower() for word in words),
    )
