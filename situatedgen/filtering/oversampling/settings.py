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
    column: str = Field("sentence", description="Column of the sentences in JSON lines, CSV and Parquet.")
    min_words: int = Field(5, ge=2, description="Minimum number of words of noun phrase and ending together.")
    max_words: int = Field(25, ge=2, description="Maximum number of words of an ending.")
    min_count: int = Field(3, ge=1, description="Words that occur less often than this in the corpus are rare.")


class WriterParams(LanguageParams):
    """The language models that write endings, one per fold; larger than those that only compute perplexities."""

    size: int = Field(192, ge=1, description="Width of embeddings and hidden states, which are tied.")
    epochs: int = Field(6, ge=1, description="Passes over the rows of the other folds.")
    pretraining: int = Field(3, ge=0, description="Initial passes over the sentences of the corpus that gave no row.")
    batch_size: int = Field(64, ge=1, description="Texts per step.")
    learning_rate: float = Field(2e-3, gt=0, description="Learning rate of Adam.")
    vocabulary: int = Field(20000, ge=2, description="Vocabulary size: the most frequent words that are not rare.")


class SamplingParams(Params):
    """How endings are sampled: word by word from the model's distribution, never by beam search (section 3.3)."""

    population: int = Field(1023, ge=1, description="Maximum number of endings kept per row (N⁻).")
    surplus: float = Field(1.5, ge=1, description="Endings sampled for each one to keep.")
    temperature: float = Field(1.0, gt=0, description="Below 1: more likely words; above 1: less likely ones.")
    top_k: int = Field(0, ge=0, description="Sample only from this many likeliest words; 0: from all.")
    rows: int = Field(0, ge=0, description="Number of random rows for which endings are sampled; 0: all.")
    with_context: bool = Field(False, description="Sample endings only for rows that have a context.")
    seed: int = Field(0, ge=0, description="Seed of the selection of rows and of the endings.")


class EndingParams(Params):
    """Which sampled endings are kept."""

    min_ratio: float = Field(0.5, ge=0, le=1, description="Minimum length as a share of the real ending.")
    max_ratio: float = Field(2.0, ge=1, description="Maximum length as a multiple of the real ending.")
    max_overlap: float = Field(
        0.75, gt=0, le=1, description="Maximum share of words that an ending has in common with it."
    )


class EndingCommitteeParams(CommitteeParams):
    """The committee that endings are filtered against; as in the paper, it reads only the second sentence."""

    reads: Literal["both", "second"] = Field("second", description="Which texts of a candidate the members read.")


class OversampleSettings(Params):
    """All settings of an oversampling: rows, writers, sampling, endings and optional filtering."""

    rows: RowParams = RowParams()
    writer: WriterParams = WriterParams()
    sampling: SamplingParams = SamplingParams()
    endings: EndingParams = EndingParams()
    filter: FilterParams = FilterParams()
    committee: EndingCommitteeParams = EndingCommitteeParams()
    audits: int = Field(3, ge=1, description="New splits on which accuracy before and after is measured.")


def oversample_settings(file: Path | None = None, overrides: Sequence[str] = ()) -> OversampleSettings:
    """Defaults, overridden by a TOML file and then by single settings (`writer.size=128`).

    Raises:
        SettingsError: the file cannot be read, or it or an override is invalid.
    """
    values = merge_tables(tables(file) if file else {}, nest_overrides(overrides, OversampleSettings))
    try:
        return OversampleSettings.model_validate(values)
    except ValidationError as error:
        messages = (f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors(include_url=False))
        raise SettingsError(f"invalid oversampling settings: {'; '.join(messages)}") from error
