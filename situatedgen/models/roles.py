"""What each model is asked, one batch method a role: list in, list out, same length, same order."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
import polars as pl
from numpy.typing import NDArray

from situatedgen.records import Conversion, Entity, Judgement, Lemma, Question, Span, Token


class Converter(Protocol):
    """Turns questions with answers into declarative sentences."""

    def convert(self, questions: Sequence[Question]) -> list[Conversion]: ...


class Tagger(Protocol):
    """Finds named entities: sorted, not overlapping."""

    def tag(self, texts: Sequence[str]) -> list[tuple[Entity, ...]]: ...


class NounFinder(Protocol):
    """Finds every noun and proper noun, a span a word, sorted."""

    def find(self, texts: Sequence[str]) -> list[tuple[Span, ...]]: ...


class Parser(Protocol):
    """Parses: the words of each text in order, each with the word it depends on."""

    def parse(self, texts: Sequence[str]) -> list[tuple[Token, ...]]: ...


class Encoder(Protocol):
    """Turns texts into vectors of unit length, a row a text; a row never depends on its batch."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]: ...


class Detector(Protocol):
    """Finds communities of an undirected graph: a label for each node 0 … node_count - 1."""

    def detect(self, node_count: int, edges: Sequence[tuple[int, int]], *, seed: int) -> list[int]: ...


class Judge(Protocol):
    """Says how probable it is that two sentences are a valid pair; their order does not matter."""

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Judgement]: ...


class Lemmatiser(Protocol):
    """Finds every common noun and verb in its dictionary form, in the order of the text."""

    def lemmatise(self, texts: Sequence[str]) -> list[tuple[Lemma, ...]]: ...


class Vocabulary(Protocol):
    """Tells which words are concepts."""

    def known(self, words: Sequence[str]) -> list[bool]: ...


@runtime_checkable
class RowModel(Protocol):
    """A model of any role that answers in rows, as one that remembers does: the questions with the answers beside."""

    def rows(self, asked: pl.DataFrame) -> pl.DataFrame: ...
