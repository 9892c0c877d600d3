"""Which baselines are asked, how large they are, and on what they are measured."""

from typing import Literal

from pydantic import Field

from situatedgen.filtering.committee.params import CommitteeParams
from situatedgen.params import Params

Model = Literal["length", "bag", "bilstm", "bilinear"]


class BaselineParams(Params):
    """The models of section 4 of the paper that need nothing from a hub."""

    models: tuple[Model, ...] = Field(("length", "bag", "bilstm", "bilinear"), description="Who is asked.")
    folds: int = Field(0, ge=0, description="Parts to hold out in turn; 0: learn from train, where there are splits.")
    runs: int = Field(2, ge=1, description="Seeds over which accuracy is averaged.")
    size: int = Field(64, ge=1, description="Width of the embeddings and hidden states that are learned.")
    epochs: int = Field(6, ge=1, description="Times that the questions are read.")
    learning_rate: float = Field(3e-3, gt=0, description="Learning rate of Adam.")
    dropout: float = Field(0.3, ge=0, lt=1, description="Share of what is dropped before the last layer.")
    vocabulary: int = Field(5000, ge=2, description="Commonest words that are known.")
    max_tokens: int = Field(96, ge=8, description="Words of a candidate that are read, at most.")
    batch_size: int = Field(32, ge=1, description="Questions a step.")
    bilinear_epochs: int = Field(30, ge=1, description="Times that the bilinear layer reads the questions.")
    decay: float = Field(1e-2, ge=0, description="Weight decay of the bilinear layer.")
    seed: int = Field(0, ge=0, description="Seed of the weights and the folds.")

    def committee(self, member: Literal["bag", "lstm"]) -> CommitteeParams:
        """The settings of a committee with one member."""
        return CommitteeParams(
            members=(member,),
            size=self.size,
            vocabulary=self.vocabulary,
            max_tokens=self.max_tokens,
            epochs=self.epochs,
            batch_size=self.batch_size,
            learning_rate=self.learning_rate,
            dropout=self.dropout,
        )
