"""How a corpus becomes rows, how language models learn from them and write endings, and which endings stay."""

from typing import Literal

from pydantic import Field

from situatedgen.filtering.committee.params import CommitteeParams, LanguageParams
from situatedgen.params import ModelParams, Params


class RowParams(Params):
    """Which sentences of a corpus become rows (section 2 of the SWAG paper, footnote 2)."""

    parser: ModelParams = ModelParams(name="spacy")
    column: str = Field("sentence", description="Where sentences stand in JSON lines, CSV and Parquet.")
    min_words: int = Field(5, ge=2, description="Noun phrase and ending have at least so many words together.")
    max_words: int = Field(25, ge=2, description="An ending has at most so many words.")
    min_count: int = Field(3, ge=1, description="A word that stands fewer times in the corpus than this is rare.")


class WriterParams(LanguageParams):
    """The language models that write endings, one a fold: larger than those that only measure."""

    size: int = Field(192, ge=1, description="Width of embeddings and hidden states, which are tied.")
    epochs: int = Field(6, ge=1, description="Times that it reads the rows of the other folds.")
    pretraining: int = Field(3, ge=0, description="Times that it reads sentences of the corpus that gave no row first.")
    batch_size: int = Field(64, ge=1, description="Texts a step.")
    learning_rate: float = Field(2e-3, gt=0, description="Learning rate of Adam.")
    vocabulary: int = Field(20000, ge=2, description="Commonest words that it knows, of those that are not rare.")


class SamplingParams(Params):
    """How endings are drawn: word by word from what the model holds likely, never by beam search (section 3.3)."""

    population: int = Field(1023, ge=1, description="Endings of a row that are kept, at most (N⁻).")
    surplus: float = Field(1.5, ge=1, description="Endings drawn for each that is to be kept.")
    temperature: float = Field(1.0, gt=0, description="Below 1 draws likelier words, above 1 less likely ones.")
    top_k: int = Field(0, ge=0, description="Draw from so many likeliest words only; 0 draws from all.")
    rows: int = Field(0, ge=0, description="Rows that endings are drawn for, by chance; 0 takes all.")
    with_context: bool = Field(False, description="Draw endings only for rows that have a context.")
    seed: int = Field(0, ge=0, description="Seed of the choice of rows and of the endings.")


class EndingParams(Params):
    """Which of the endings that were drawn stay."""

    min_ratio: float = Field(0.5, ge=0, le=1, description="As long as this share of the real ending, at least.")
    max_ratio: float = Field(2.0, ge=1, description="As long as this multiple of the real ending, at most.")
    max_overlap: float = Field(0.75, gt=0, le=1, description="Endings that share more of their words with it are out.")


class EndingCommitteeParams(CommitteeParams):
    """The committee that endings are chosen against: it reads the sentence that they end, as in the paper."""

    reads: Literal["both", "second"] = Field("second", description="Which texts of a candidate its words come from.")
