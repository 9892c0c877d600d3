"""The committee as a discriminator: analysed once a pool, trained anew in every iteration."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from situatedgen.filtering.committee.features import FEATURES
from situatedgen.filtering.committee.members import ENSEMBLE, Bag, Batch, Cnn, Ensemble, Mlp, TagLstm
from situatedgen.filtering.committee.params import CommitteeParams
from situatedgen.filtering.committee.words import Sequences
from situatedgen.filtering.discriminator import Scores
from situatedgen.filtering.pool import Pool, Rows

MEMBERS: dict[str, type[Mlp] | type[Bag] | type[Cnn] | type[TagLstm]] = {
    "mlp": Mlp,
    "bag": Bag,
    "cnn": Cnn,
    "lstm": TagLstm,
}
MOST_AT_ONCE = 1024
DECIMALS = 4
"""Scores nearer than this count as equal, so that what else stands in a batch does not matter."""


@dataclass(frozen=True)
class Committee:
    """The four models and their ensemble, for one pool whose texts were read; the MLP's features have deviation 1."""

    pool: Pool
    words: Sequences
    tags: Sequences
    features: NDArray[np.float32]
    params: CommitteeParams
    device: torch.device

    @property
    def decides(self) -> str:
        """The ensemble."""
        return ENSEMBLE

    @property
    def identity(self) -> str:
        """Its settings; the device makes no difference that counts."""
        return f"committee {self.params.model_dump_json()}"

    def fit(self, pool: Pool, questions: Rows, *, seed: int) -> "CommitteeJudge":
        """A judge that learned from questions; all members and the ensemble together, each by its own loss."""
        if pool is not self.pool:
            raise ValueError("a committee judges the pool that it was made for")
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            model = self._ensemble().to(self.device).train()
            self._train(model, questions)
        return CommitteeJudge(self, model.eval())

    def batch(self, rows: Rows) -> Batch:
        """Candidates as the members read them."""
        longest = int(self.words.lengths[rows].max())
        told = (
            self.features[rows],
            self.words.ids[rows, :longest],
            self.tags.ids[rows, :longest],
            self.words.border[rows],
            self.words.lengths[rows],
        )
        return Batch(*(torch.from_numpy(one).to(self.device) for one in told))

    def _train(self, model: Ensemble, questions: Rows) -> None:
        params = self.params
        optimizer = torch.optim.Adam(model.parameters(), lr=params.learning_rate)
        for _ in range(params.epochs):
            for part in np.array_split(questions[torch.randperm(len(questions)).numpy()], self._steps(questions)):
                optimizer.zero_grad()
                _loss(model(self.batch(part.ravel())), part.shape[1]).backward()  # type: ignore[no-untyped-call]
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()

    def _steps(self, questions: Rows) -> int:
        return max(1, round(len(questions) / self.params.batch_size))

    def _ensemble(self) -> Ensemble:
        sizes = {"mlp": len(FEATURES), "lstm": self.tags.vocabulary}
        made: dict[str, nn.Module] = {
            name: MEMBERS[name](sizes.get(name, self.words.vocabulary), self.params) for name in self.params.members
        }
        return Ensemble(made, self.params)


@dataclass(frozen=True)
class CommitteeJudge:
    """A committee that has learned."""

    committee: Committee
    model: Ensemble

    def scores(self, rows: Rows) -> Scores:
        """The scores of candidates by each member."""
        parts = [self._scores(rows[start : start + MOST_AT_ONCE]) for start in range(0, len(rows), MOST_AT_ONCE)]
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def _scores(self, rows: Rows) -> dict[str, NDArray[np.float32]]:
        with torch.inference_mode():
            found = self.model(self.committee.batch(rows))
        return {name: np.round(said.cpu().numpy(), DECIMALS) for name, said in found.items()}


def _loss(scores: dict[str, Tensor], width: int) -> Tensor:
    """The cross-entropy of the right candidate, first of its row, summed over members and ensemble."""
    losses = []
    for said in scores.values():
        rows = said.reshape(-1, width)
        losses.append(functional.cross_entropy(rows, torch.zeros(len(rows), dtype=torch.long, device=rows.device)))
    return torch.stack(losses).sum()
