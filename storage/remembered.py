"""Models that remember: asked only what they were not asked before."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from situatedgen.models import registry
from situatedgen.models.answering import ANSWERING, WORDS
from situatedgen.params import ModelParams
from situatedgen.records import Token
from situatedgen.runtime import Runtime
from storage.batches import load_model, model_lock
from storage.jobs import model_identity
from storage.memo import Memo
from storage.recalling import Recall, Tally
from storage.store import Store


@dataclass(frozen=True)
class RememberedModel:
    """A model of any role that is asked in rows, and loaded when it is first asked something new."""

    role: str
    params: ModelParams
    runtime: Runtime
    recall: Recall

    def rows(self, asked: pl.DataFrame) -> pl.DataFrame:
        """Questions with their answers, remembered or asked for."""
        if asked.is_empty():
            return self._compute(asked)  # the model alone knows how its answers look
        return self.recall.answered(asked, self._compute)

    def _compute(self, asked: pl.DataFrame) -> pl.DataFrame:
        with model_lock(self.role, self.params.name):
            model = load_model(self.role, self.params, self.runtime, self.recall.memo.name)
            return ANSWERING[self.role](model, asked)


@dataclass(frozen=True)
class RememberedParser(RememberedModel):
    """A parser that remembers."""

    def parse(self, texts: Sequence[str]) -> list[tuple[Token, ...]]:
        """The words of each text."""
        words = self.rows(_asked(texts)).select(list(WORDS))
        return [tuple(map(Token._make, zip(*lists, strict=True))) for lists in words.iter_rows()]


@dataclass(frozen=True)
class RememberedEncoder(RememberedModel):
    """An encoder that remembers."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vector of each text, a row a text."""
        return self.rows(_asked(texts))["vector"].to_numpy()


REMEMBERED = {"parser": RememberedParser, "encoder": RememberedEncoder}


@dataclass(frozen=True)
class Asking:
    """What a job needs to ask models: the store that remembers, how they run, and who counts."""

    store: Store
    runtime: Runtime
    tally: Tally = field(default_factory=Tally)

    def model(self, role: str, params: ModelParams) -> object:
        """The model of a role: loaded when first asked something new, where its answers can be remembered."""
        if role not in ANSWERING:
            return registry.load(role, params, self.runtime)
        recall = Recall(Memo(self.store, role, model_identity(role, params)), self.tally)
        return REMEMBERED.get(role, RememberedModel)(role, params, self.runtime, recall)


def _asked(texts: Sequence[str]) -> pl.DataFrame:
    return pl.DataFrame({"text": texts}, schema={"text": pl.String})
