"""The lemmas of sentences, computed by spaCy once per distinct sentence."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING

from situatedgen.models.weights import SPACY_MODEL, check_package

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc


@dataclass(frozen=True, slots=True)
class Lemmas:
    """A text and its words: the start, the lower-case form and the lemma of each."""

    text: str
    starts: tuple[int, ...]
    words: tuple[str, ...]
    lemmas: tuple[str, ...]


class Lemmatiser:
    """A cache of the lemmas of every text seen so far."""

    def __init__(self) -> None:
        self._known: dict[str, Lemmas] = {}

    def learn(self, texts: Iterable[str]) -> None:
        """Analyse the texts that are not in the cache, in one batch."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        for doc in analyse(new):
            self._known[doc.text] = _lemmas(doc)

    def __getitem__(self, text: str) -> Lemmas:
        """The lemmas of a text, from the cache if it is there."""
        if text not in self._known:
            self.learn([text])
        return self._known[text]


def analyse(texts: Sequence[str]) -> "Iterator[Doc]":
    """The analysis of each text with parts of speech and lemmas, in order."""
    return _pipeline().pipe(texts)


def signature() -> str:
    """The names and versions of spaCy and its model, which determine the lemmas."""
    return f"spacy-{version('spacy')}/{SPACY_MODEL}-{version(SPACY_MODEL)}"


@cache
def _pipeline() -> "Language":
    import spacy  # noqa: PLC0415  # imports PyTorch

    check_package(SPACY_MODEL)
    return spacy.load(SPACY_MODEL, exclude=["parser", "senter", "ner"])


def _lemmas(doc: "Doc") -> Lemmas:
    words = [token for token in doc if not token.is_space]
    return Lemmas(
        doc.text,
        tuple(word.idx for word in words),
        tuple(word.lower_ for word in words),
        tuple(word.lemma_.lower() for word in words),
    )
