"""The settings of oversampling, read from a TOML file and single overrides."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from situatedgen.errors import SettingsError
from situatedgen.filtering.settings import CommitteeParams, FilterParams, LanguageParams
from situatedgen.params import ModelParams, Params
from situatedgen.preset_files import merge_tables, tables
from situatedgen.presets import nest_overrides


class RowParams(Params):
    """Which sentences of a corpus become rows (section 2 of the SWAG paper, footnote 2)."""

    parser: ModelParams = ModelParams(name="spacy")
    column: str = Field("sentence", description="Where sentences stand in JSON lines, CSV and Parquet.")
    min_words: int = Field(5, ge=2, description="Noun phrase and ending have at least so many words together.")
    max_words: int = Field(25, ge=2, description="An ending has at most so many words.")
    min_count: int = Field(3, ge=1, description="A word that stands fewer times in the corpus than this is rare.")


class WriterParams(LanguageParams):
    """The language models that write endings, one per fold; larger than those that only compute perplexities."""

    size: int = Field(192, ge=1, description="Width of embeddings and hidden states, which are tied.")
    epochs: int = Field(6, ge=1, description="Times that it reads the rows of the other folds.")
    pretraining: int = Field(3, ge=0, description="Times that it reads sentences of the corpus that gave no row first.")
    batch_size: int = Field(64, ge=1, description="Texts a step.")
    learning_rate: float = Field(2e-3, gt=0, description="Learning rate of Adam.")
    vocabulary: int = Field(20000, ge=2, description="Commonest words that it knows, of those that are not rare.")


class SamplingParams(Params):
    """How endings are sampled: word by word from the model's distribution, never by beam search (section 3.3)."""

    population: int = Field(1023, ge=1, description="Endings of a row that are kept, at most (N⁻).")
    surplus: float = Field(1.5, ge=1, description="Endings drawn for each that is to be kept.")
    temperature: float = Field(1.0, gt=0, description="Below 1 draws likelier words, above 1 less likely ones.")
    top_k: int = Field(0, ge=0, description="Draw from so many likeliest words only; 0 draws from all.")
    rows: int = Field(0, ge=0, description="Rows that endings are drawn for, by chance; 0 takes all.")
    with_context: bool = Field(False, description="Draw endings only for rows that have a context.")
    seed: int = Field(0, ge=0, description="Seed of the choice of rows and of the endings.")


class EndingParams(Params):
    """Which sampled endings are kept."""

    min_ratio: float = Field(0.5, ge=0, le=1, description="As long as this share of the real ending, at least.")
    max_ratio: float = Field(2.0, ge=1, description="As long as this multiple of the real ending, at most.")
    max_overlap: float = Field(0.75, gt=0, le=1, description="Endings that share more of their words with it are out.")


class EndingCommitteeParams(CommitteeParams):
    """The committee that endings are filtered against; as in the paper, it reads only the second sentence."""

    reads: Literal["both", "second"] = Field("second", description="Which texts of a candidate its words come from.")


class OversampleSettings(Params):
    """All settings of an oversampling: rows, writers, sampling, endings and optional filtering."""

    rows: RowParams = RowParams()
    writer: WriterParams = WriterParams()
    sampling: SamplingParams = SamplingParams()
    endings: EndingParams = EndingParams()
    filter: FilterParams = FilterParams()
    committee: EndingCommitteeParams = EndingCommitteeParams()
    audits: int = Field(3, ge=1, description="Fresh splits over which accuracy before and after is measured.")


def oversample_settings(file: Path | None = None, overrides: Sequence[str] = ()) -> OversampleSettings:
    """Defaults, overridden by a TOML file and then by single settings (`writer.size=128`).

    Raises:
        SettingsError: the file cannot be read, or it or an override is invalid.
    """
    values = merge_tables(tables(file) if file else {}, nest_overrides(overrides, OversampleSettings))
    try:
        return OversampleSettings.model_validate(values)
    except ValidationError as error:
        told = (f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors(include_url=False))
        raise SettingsError(f"settings of the oversampling: {'; '.join(told)}") from error
