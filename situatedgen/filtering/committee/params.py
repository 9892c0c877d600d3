"""The sizes of the committee and of its language model: small enough for two cores."""

from typing import Literal

from pydantic import Field

from situatedgen.params import Params


class LanguageParams(Params):
    """The LSTM language model, forward and backward, that perplexities come from (appendices A.2 and A.3)."""

    folds: int = Field(5, ge=2, description="Parts of the items; the model of each never saw its right candidates.")
    size: int = Field(64, ge=1, description="Width of embeddings and hidden states, which are tied.")
    epochs: int = Field(4, ge=1, description="Times that it reads the held-in texts.")
    batch_size: int = Field(32, ge=1, description="Texts a step.")
    learning_rate: float = Field(4e-3, gt=0, description="Learning rate of Adam.")
    dropout: float = Field(0.2, ge=0, lt=1, description="Share of what is dropped between layers.")
    vocabulary: int = Field(1000, ge=2, description="Commonest words that it knows.")
    seed: int = Field(0, ge=0, description="Seed of the folds, the weights and the order of texts.")


class CommitteeParams(Params):
    """The four members and their ensemble."""

    reads: Literal["both", "second"] = Field("both", description="Which texts of a candidate its words come from.")
    members: tuple[Literal["mlp", "bag", "cnn", "lstm"], ...] = Field(
        ("mlp", "bag", "cnn", "lstm"), min_length=1, description="Who sits in the committee."
    )
    size: int = Field(32, ge=1, description="Width of embeddings and of what each member says.")
    vocabulary: int = Field(5000, ge=2, description="Commonest words that bag and CNN know.")
    common_words: int = Field(100, ge=0, description="Words that the LSTM sees; of others it sees the tag alone.")
    widths: tuple[int, ...] = Field((2, 3, 4, 5), min_length=1, description="Words that filters of the CNN span.")
    max_tokens: int = Field(64, ge=8, description="Words of a text that are read, at most.")
    epochs: int = Field(4, ge=1, description="Times that it reads the questions.")
    batch_size: int = Field(32, ge=1, description="Questions a step.")
    learning_rate: float = Field(3e-3, gt=0, description="Learning rate of Adam.")
    dropout: float = Field(0.3, ge=0, lt=1, description="Share of what is dropped before each head.")
    language: LanguageParams = LanguageParams()
