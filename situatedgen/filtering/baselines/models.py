"""The baselines as discriminators: the shortest ending, words in a bag or in order, and sentence embeddings."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from situatedgen.filtering.baselines.params import BaselineParams
from situatedgen.filtering.committee.committee import Committee
from situatedgen.filtering.committee.features import FEATURES
from situatedgen.filtering.committee.words import Analysis, word_sequences
from situatedgen.filtering.discriminator import Discriminator, Judge, Scores
from situatedgen.filtering.pool import Pool, Rows
from situatedgen.models.roles import Encoder

_TOKEN = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True)
class Tools:
    """What baselines are made with."""

    params: BaselineParams
    device: torch.device
    encoder: Callable[[], Encoder]


@dataclass(frozen=True)
class Fixed:
    """A model, or one that has learned, that says the same of a candidate whatever it learned from."""

    said: NDArray[np.float32]
    name: str

    @property
    def decides(self) -> str:
        """Its only member."""
        return self.name

    @property
    def identity(self) -> str:
        """Its name."""
        return self.name

    def fit(self, pool: Pool, questions: Rows, *, seed: int) -> "Fixed":  # noqa: ARG002 (it learns nothing)
        """Itself."""
        return self

    def scores(self, rows: Rows) -> Scores:
        """What it says of candidates."""
        return {self.name: self.said[rows]}


def shortest(pool: Pool, _: Tools) -> Discriminator:
    """The model that takes the shortest candidate, in words; of several as short, each has its part."""
    words = [-len(_words(first)) - len(_words(second)) for first, second in zip(pool.first, pool.second, strict=True)]
    return Fixed(np.asarray(words, dtype=np.float32), "length")


def bag(pool: Pool, tools: Tools) -> Discriminator:
    """The committee's bag of word embeddings, alone."""
    return Alone(_committee(pool, tools, "bag"), "bag")


def bilstm(pool: Pool, tools: Tools) -> Discriminator:
    """The committee's LSTM, alone and over words instead of tags."""
    return Alone(_committee(pool, tools, "lstm"), "lstm")


@dataclass(frozen=True)
class Alone:
    """A committee of which one member decides."""

    committee: Committee
    member: str

    @property
    def decides(self) -> str:
        """The member."""
        return self.member

    @property
    def identity(self) -> str:
        """The committee's."""
        return self.committee.identity

    def fit(self, pool: Pool, questions: Rows, *, seed: int) -> Judge:
        """A judge that learned from questions."""
        return self.committee.fit(pool, questions, seed=seed)


def _committee(pool: Pool, tools: Tools, member: str) -> Committee:
    params = tools.params.committee("bag" if member == "bag" else "lstm")
    found = {text: Analysis(_words(text), ()) for text in {*pool.first, *pool.second}}
    words = word_sequences(pool, found, size=params.vocabulary, longest=params.max_tokens, both=True)
    nothing = np.zeros((len(pool.first), len(FEATURES)), dtype=np.float32)
    return Committee(pool=pool, words=words, tags=words, features=nothing, params=params, device=tools.device)


def _words(text: str) -> tuple[str, ...]:
    return tuple(_TOKEN.findall(text.lower()))


class BilinearLayer(nn.Module):
    """How well two vectors go together: each with a one after it, so that either also counts alone."""

    def __init__(self, first: int, second: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(first + 1, second + 1))

    def forward(self, first: Tensor, second: Tensor) -> Tensor:
        """A score a row."""
        return torch.einsum("ri,ij,rj->r", _with_one(first), self.weight, _with_one(second))


def _with_one(vectors: Tensor) -> Tensor:
    return functional.pad(vectors, (0, 1), value=1.0)


@dataclass(frozen=True)
class Bilinear:
    """A bilinear layer between the sentence embeddings of the two texts of a candidate."""

    first: Tensor
    second: Tensor
    params: BaselineParams

    @property
    def decides(self) -> str:
        """Its only member."""
        return "bilinear"

    @property
    def identity(self) -> str:
        """Its settings."""
        return f"bilinear {self.params.model_dump_json()}"

    def fit(self, pool: Pool, questions: Rows, *, seed: int) -> "Fixed":  # noqa: ARG002 (the vectors are those of its pool)
        """A judge that learned from questions."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            layer = BilinearLayer(self.first.shape[1], self.second.shape[1]).to(self.first.device)
            self._train(layer, questions)
        with torch.inference_mode():
            return Fixed(layer(self.first, self.second).cpu().numpy(), self.decides)

    def _train(self, layer: BilinearLayer, questions: Rows) -> None:
        optimizer = torch.optim.AdamW(layer.parameters(), lr=self.params.learning_rate, weight_decay=self.params.decay)
        steps = max(1, round(len(questions) / self.params.batch_size))
        for _ in range(self.params.bilinear_epochs):
            for part in np.array_split(questions[torch.randperm(len(questions)).numpy()], steps):
                rows = torch.from_numpy(part.ravel()).to(self.first.device)
                scores = layer(self.first[rows], self.second[rows]).reshape(part.shape)
                truth = torch.zeros(len(part), dtype=torch.long, device=scores.device)
                optimizer.zero_grad()
                functional.cross_entropy(scores, truth).backward()  # type: ignore[no-untyped-call]
                optimizer.step()


def bilinear(pool: Pool, tools: Tools) -> Discriminator:
    """The bilinear model, with the embeddings of the house's encoder; an empty text is no vector at all."""
    first, second = (torch.from_numpy(each).to(tools.device) for each in _vectors(pool, tools.encoder()))
    return Bilinear(first, second, tools.params)


def _vectors(pool: Pool, encoder: Encoder) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    distinct = sorted({*pool.first, *pool.second} - {""})
    encoded = encoder.encode(distinct)
    known = np.concatenate([np.zeros((1, encoded.shape[1]), dtype=np.float32), encoded])
    places = {"": 0, **{text: number for number, text in enumerate(distinct, 1)}}
    return _placed(known, places, pool.first), _placed(known, places, pool.second)


def _placed(known: NDArray[np.float32], places: dict[str, int], texts: Sequence[str]) -> NDArray[np.float32]:
    return np.ascontiguousarray(known[[places[text] for text in texts]])


MODELS: dict[str, Callable[[Pool, Tools], Discriminator]] = {
    "length": shortest,
    "bag": bag,
    "bilstm": bilstm,
    "bilinear": bilinear,
}
