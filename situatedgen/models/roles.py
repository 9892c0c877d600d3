"""The protocol of each model role: one batch method that takes a list and returns one of the same length and order."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
import polars as pl
from numpy.typing import NDArray

from situatedgen.records import Conversion, Entity, Judgement, Lemma, Question, Span, Token


class Converter(Protocol):
    """Turns questions with their answers into declarative sentences."""

    def convert(self, questions: Sequence[Question]) -> list[Conversion]: ...


class Tagger(Protocol):
    """Finds named entities, sorted and without overlaps."""

    def tag(self, texts: Sequence[str]) -> list[tuple[Entity, ...]]: ...


class NounFinder(Protocol):
    """Finds every noun and proper noun, one span per word, sorted."""

    def find(self, texts: Sequence[str]) -> list[tuple[Span, ...]]: ...


class Parser(Protocol):
    """Parses texts: the words of each in order, each with the index of its head."""

    def parse(self, texts: Sequence[str]) -> list[tuple[Token, ...]]: ...


class Encoder(Protocol):
    """Turns texts into unit vectors, one row per text; a row never depends on its batch."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]: ...


class Detector(Protocol):
    """Finds communities in an undirected graph: a label for each node 0 … node_count - 1."""

    def detect(self, node_count: int, edges: Sequence[tuple[int, int]], *, seed: int) -> list[int]: ...


class Judge(Protocol):
    """Returns the probability that two sentences are a valid pair; their order does not matter."""

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Judgement]: ...


class Lemmatiser(Protocol):
    """Finds the lemma of every common noun and verb, in text order."""

    def lemmatise(self, texts: Sequence[str]) -> list[tuple[Lemma, ...]]: ...


class Vocabulary(Protocol):
    """Decides which words are concepts."""

    def known(self, words: Sequence[str]) -> list[bool]: ...


@runtime_checkable
class RowModel(Protocol):
    """A model of any role that returns rows, the questions with answer columns, such as a caching wrapper."""

    def rows(self, asked: pl.DataFrame) -> pl.DataFrame: ...
