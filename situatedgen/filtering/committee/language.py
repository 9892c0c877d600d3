"""A small LSTM language model, forward and backward over the same embeddings (appendix A.2)."""

from copy import deepcopy
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from situatedgen.filtering.committee.params import LanguageParams
from situatedgen.filtering.committee.words import PAD, Sequences

MOST_AT_ONCE = 512


class LanguageModel(nn.Module):
    """Two LSTMs that read from either end; embeddings, which both share, are also the output layer."""

    def __init__(self, vocabulary: int, params: LanguageParams) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, params.size, padding_idx=PAD)
        self.readers = nn.ModuleList(nn.LSTM(params.size, params.size, batch_first=True) for _ in range(2))
        self.dropout = nn.Dropout(params.dropout)
        self.bias = nn.Parameter(torch.zeros(vocabulary))
        nn.init.normal_(self.embedding.weight, std=params.size**-0.5)

    def forward(self, ids: Tensor, direction: int) -> Tensor:
        """What each word costs after those before it: its negative log-probability, a column less than words."""
        states, _ = self.readers[direction](self.dropout(self.embedding(ids[:, :-1])))
        words, is_word = ids[:, 1:], ids[:, 1:] != PAD
        logits = self.logits(self.dropout(states)[is_word])
        costs = torch.zeros(words.shape, dtype=logits.dtype, device=logits.device)
        return costs.masked_scatter(is_word, functional.cross_entropy(logits, words[is_word], reduction="none"))

    def logits(self, states: Tensor) -> Tensor:
        """How likely each word of the vocabulary is after what was read."""
        return functional.linear(states, self.embedding.weight, self.bias)


@dataclass(frozen=True)
class Trained:
    """A language model that has learned, and where it runs."""

    model: LanguageModel
    device: torch.device

    def costs(self, texts: Sequences, rows: NDArray[np.int64], direction: int) -> NDArray[np.float32]:
        """What each word of some texts costs, in the order of reading: 0 forward, 1 backward."""
        parts = [
            self._costs(texts, rows[start : start + MOST_AT_ONCE], direction)
            for start in range(0, len(rows), MOST_AT_ONCE)
        ]
        return np.concatenate(parts) if parts else np.zeros((0, texts.ids.shape[1] - 1), dtype=np.float32)

    def _costs(self, texts: Sequences, rows: NDArray[np.int64], direction: int) -> NDArray[np.float32]:
        whole = np.zeros((len(rows), texts.ids.shape[1] - 1), dtype=np.float32)
        ids = read(texts, rows, direction).to(self.device)
        with torch.inference_mode():
            whole[:, : ids.shape[1] - 1] = self.model(ids, direction).cpu().numpy()
        return whole


def trained(
    texts: Sequences,
    rows: NDArray[np.int64],
    params: LanguageParams,
    *,
    seed: int,
    device: torch.device,
    begun: LanguageModel | None = None,
) -> Trained:
    """A language model that read some of the texts, from both ends; it may go on from what one learned elsewhere."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = (LanguageModel(texts.vocabulary, params) if begun is None else deepcopy(begun)).to(device).train()
        optimizer = torch.optim.Adam(model.parameters(), lr=params.learning_rate)
        steps = max(1, round(len(rows) / params.batch_size))
        for _ in range(params.epochs):
            for part in np.array_split(rows[torch.randperm(len(rows)).numpy()], steps):
                _step(model, optimizer, texts, part, device)
    return Trained(model.eval(), device)


def _step(
    model: LanguageModel,
    optimizer: torch.optim.Optimizer,
    texts: Sequences,
    rows: NDArray[np.int64],
    device: torch.device,
) -> None:
    both = [read(texts, rows, direction).to(device) for direction in range(2)]
    words = (both[0][:, 1:] != PAD).sum()
    loss = torch.stack([model(ids, direction).sum() for direction, ids in enumerate(both)]).sum() / words
    optimizer.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()


def read(texts: Sequences, rows: NDArray[np.int64], direction: int) -> Tensor:
    """Texts as they are read from one end, as short as the longest of them."""
    lengths = texts.lengths[rows]
    ids = texts.ids[rows, : int(lengths.max())]
    if direction:
        places = np.arange(ids.shape[1])[None, :]
        ids = np.where(
            places < lengths[:, None], np.take_along_axis(ids, (lengths[:, None] - 1 - places) % ids.shape[1], 1), PAD
        )
    return torch.from_numpy(np.ascontiguousarray(ids))
