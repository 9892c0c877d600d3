"""The four stylistic models of the committee: each makes a short vector of a candidate (section 3.4)."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from situatedgen.filtering.committee.params import CommitteeParams
from situatedgen.filtering.committee.words import PAD


@dataclass(frozen=True)
class Batch:
    """Candidates: their features, their words, their common words and tags, and where texts begin and end."""

    features: Tensor
    words: Tensor
    tags: Tensor
    border: Tensor
    lengths: Tensor


class Mlp(nn.Module):
    """A perceptron of two layers on perplexities and lengths."""

    def __init__(self, features: int, params: CommitteeParams) -> None:
        super().__init__()
        size = params.size
        self.layers = nn.Sequential(nn.Linear(features, size), nn.ReLU(), nn.Linear(size, size), nn.ReLU())

    def forward(self, batch: Batch) -> Tensor:
        """A vector a candidate."""
        said: Tensor = self.layers(batch.features)
        return said


class Bag(nn.Module):
    """The mean embedding of the words of each text, through one layer; what the two texts give is added up."""

    def __init__(self, vocabulary: int, params: CommitteeParams) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, params.size, padding_idx=PAD)
        self.layer = nn.Linear(params.size, params.size)

    def forward(self, batch: Batch) -> Tensor:
        """A vector a candidate."""
        places = torch.arange(batch.words.shape[1], device=batch.words.device)[None, :]
        is_first = places < batch.border[:, None]
        is_second = ~is_first & (places < batch.lengths[:, None])
        embedded = self.embedding(batch.words)
        return self._said(embedded, is_first) + self._said(embedded, is_second)

    def _said(self, embedded: Tensor, inside: Tensor) -> Tensor:
        mean = (embedded * inside[:, :, None]).sum(dim=1) / inside.sum(dim=1, keepdim=True).clamp(min=1)
        return torch.relu(self.layer(mean))


class Cnn(nn.Module):
    """One layer of filters of several widths, each at its highest."""

    def __init__(self, vocabulary: int, params: CommitteeParams) -> None:
        super().__init__()
        size, widths = params.size, params.widths
        self.embedding = nn.Embedding(vocabulary, size, padding_idx=PAD)
        self.filters = nn.ModuleList(nn.Conv1d(size, size, width, padding=width - 1) for width in widths)
        self.layer = nn.Linear(size * len(widths), size)

    def forward(self, batch: Batch) -> Tensor:
        """A vector a candidate."""
        embedded = self.embedding(batch.words).transpose(1, 2)
        highest = [self._highest(each(embedded), batch.lengths) for each in self.filters]
        return torch.relu(self.layer(torch.cat(highest, dim=1)))

    def _highest(self, found: Tensor, lengths: Tensor) -> Tensor:
        """The highest value of each filter over its places up to the last word, however much follows it."""
        places = torch.arange(found.shape[2], device=found.device)[None, :]
        beyond = places >= lengths[:, None]
        return torch.relu(found).masked_fill(beyond[:, None, :], 0.0).amax(dim=2)


class TagLstm(nn.Module):
    """An LSTM from both ends over the commonest words and the tags of others, each unit at its highest."""

    def __init__(self, vocabulary: int, params: CommitteeParams) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, params.size, padding_idx=PAD)
        self.reader = nn.LSTM(params.size, params.size, batch_first=True, bidirectional=True)
        self.layer = nn.Linear(2 * params.size, params.size)

    def forward(self, batch: Batch) -> Tensor:
        """A vector a candidate."""
        packed = pack_padded_sequence(
            self.embedding(batch.tags), batch.lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        states, _ = pad_packed_sequence(self.reader(packed)[0], batch_first=True, padding_value=float("-inf"))
        return torch.relu(self.layer(states.amax(dim=1)))


class Ensemble(nn.Module):
    """All members, each with a head of its own, and a perceptron over what all of them say."""

    def __init__(self, members: dict[str, nn.Module], params: CommitteeParams) -> None:
        super().__init__()
        self.members = nn.ModuleDict(members)
        self.heads = nn.ModuleDict({name: nn.Linear(params.size, 1) for name in members})
        self.dropout = nn.Dropout(params.dropout)
        self.together = nn.Sequential(
            nn.Linear(params.size * len(members), params.size), nn.ReLU(), nn.Linear(params.size, 1)
        )

    def forward(self, batch: Batch) -> dict[str, Tensor]:
        """The score of each candidate by each member, and by all together."""
        said = {name: self.dropout(member(batch)) for name, member in self.members.items()}
        scores = {name: self.heads[name](vector).squeeze(1) for name, vector in said.items()}
        return {**scores, ENSEMBLE: self.together(torch.cat(list(said.values()), dim=1)).squeeze(1)}


ENSEMBLE = "ensemble"
