"""Models that remember: each role as its Protocol says, asked only what it was not asked before."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from situatedgen.models import registry
from situatedgen.models.answering import ANSWERING, CONVERSION, WORDS
from situatedgen.models.roles import Encoder
from situatedgen.params import ModelParams
from situatedgen.records import Conversion, Entity, Lemma, Question, Span, Token
from situatedgen.runtime import Runtime
from situatedgen.vocabulary import Label, Verdict
from storage.batches import load_model, model_lock
from storage.jobs import model_identity
from storage.memo import Memo
from storage.recalling import Recall, Tally
from storage.store import Store


@dataclass(frozen=True)
class Lazy:
    """A model that is loaded when it is first asked."""

    role: str
    params: ModelParams
    runtime: Runtime
    identity: str

    @property
    def model(self) -> Any:  # Any: one of the Protocols of `roles`
        """The model itself."""
        return load_model(self.role, self.params, self.runtime, self.identity)

    def answered(self, asked: pl.DataFrame) -> pl.DataFrame:
        """Questions with what the model answers."""
        with model_lock(self.role, self.params.name):
            return ANSWERING[self.role](self.model, asked)


@dataclass(frozen=True)
class Rows:
    """Questions as rows with a model's answers: on their way to a table they need not become Python's objects."""

    recall: Recall
    lazy: Lazy

    def __call__(self, asked: pl.DataFrame) -> pl.DataFrame:
        """The questions with their answers, remembered or asked for."""
        return self.recall.answered(asked, self.lazy.answered)


@dataclass(frozen=True)
class RememberedConverter:
    """A converter that remembers."""

    rows: Rows

    def convert(self, questions: Sequence[Question]) -> list[Conversion]:
        """The conversion of each question."""
        if not questions:
            return []
        rows = [(question.text, question.answer, question.kind.value) for question in questions]
        found = self.rows(pl.DataFrame(rows, schema=QUESTION, orient="row")).select(list(CONVERSION))
        return [Conversion(text, shape, sure, VERDICTS[verdict]) for text, shape, sure, verdict in found.iter_rows()]


@dataclass(frozen=True)
class RememberedTagger:
    """A tagger that remembers."""

    rows: Rows

    def tag(self, texts: Sequence[str]) -> list[tuple[Entity, ...]]:
        """The entities of each text."""
        if not texts:
            return []
        found = self.rows(_asked(texts)).select("starts", "ends", "labels")
        return [tuple(Entity(start, end, LABELS[label]) for start, end, label in rows) for rows in _side_by_side(found)]


@dataclass(frozen=True)
class RememberedNouns:
    """A finder of nouns that remembers."""

    rows: Rows

    def find(self, texts: Sequence[str]) -> list[tuple[Span, ...]]:
        """The nouns of each text."""
        if not texts:
            return []
        found = self.rows(_asked(texts)).select("starts", "ends")
        return [tuple(Span(start, end) for start, end in rows) for rows in _side_by_side(found)]


@dataclass(frozen=True)
class RememberedParser:
    """A parser that remembers."""

    rows: Rows

    def parse(self, texts: Sequence[str]) -> list[tuple[Token, ...]]:
        """The words of each text."""
        if not texts:
            return []
        found = self.rows(_asked(texts)).select(list(WORDS))
        return [tuple(map(Token._make, rows)) for rows in _side_by_side(found)]


@dataclass(frozen=True)
class RememberedLemmatiser:
    """A lemmatiser that remembers."""

    rows: Rows

    def lemmatise(self, texts: Sequence[str]) -> list[tuple[Lemma, ...]]:
        """The nouns and verbs of each text; one that stands often is one object."""
        if not texts:
            return []
        found = self.rows(_asked(texts)).select("lemmas", "parts")
        lemma = cache(Lemma)
        return [tuple(map(lemma, lemmas, parts)) for lemmas, parts in found.iter_rows()]


@dataclass(frozen=True)
class RememberedEncoder:
    """An encoder that remembers."""

    rows: Rows

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vector of each text, a row a text."""
        if not texts:
            model: Encoder = self.rows.lazy.model  # alone knows how wide no vectors are
            return model.encode(texts)
        return self.rows(_asked(texts))["vector"].to_numpy()


# Asking an enumeration for each of many values takes longer than the values themselves.
LABELS = {label.value: label for label in Label}
VERDICTS = {verdict.value: verdict for verdict in Verdict}
QUESTION = {"question": pl.String, "answer": pl.String, "kind": pl.String}
REMEMBERED: dict[str, Callable[[Rows], object]] = {
    "converter": RememberedConverter,
    "tagger": RememberedTagger,
    "nouns": RememberedNouns,
    "parser": RememberedParser,
    "lemmatiser": RememberedLemmatiser,
    "encoder": RememberedEncoder,
}


@dataclass(frozen=True)
class Asking:
    """What a job needs to ask models: the store that remembers, how they run, and who counts."""

    store: Store
    runtime: Runtime
    tally: Tally = field(default_factory=Tally)

    def model(self, role: str, params: ModelParams) -> object:
        """The model of a role: loaded when first asked something new, where its answers can be remembered."""
        if role not in REMEMBERED:
            return registry.load(role, params, self.runtime)
        memo = Memo(self.store, role, model_identity(role, params))
        return REMEMBERED[role](Rows(Recall(memo, self.tally), Lazy(role, params, self.runtime, memo.name)))


def _asked(texts: Sequence[str]) -> pl.DataFrame:
    return pl.DataFrame({"text": texts}, schema={"text": pl.String})


def _side_by_side(lists: pl.DataFrame) -> Iterator[list[tuple[Any, ...]]]:  # Any: what the lists hold
    """The first values of the lists of a row, then the second ones and so on; of each row.

    All are made Python's at once: a list at a time takes much longer, and most are empty.
    """
    counts = lists.to_series().list.len()
    values = lists.filter(counts > 0).explode(lists.columns).rows()
    return (values[end - count : end] for count, end in zip(counts.to_list(), counts.cum_sum().to_list(), strict=True))
