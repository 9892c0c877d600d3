"""The settings of adversarial filtering, read from a TOML file and single overrides."""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from situatedgen.errors import SettingsError
from situatedgen.filtering.aflite import AfliteParams
from situatedgen.params import Params


class FilterParams(Params):
    """Parameters of Algorithm 1 of the SWAG paper, and its stopping criterion."""

    wrong: int = Field(3, ge=1, description="Wrong candidates per item (k).")
    population: int = Field(1023, ge=2, description="Maximum number of wrong candidates considered per item (N⁻).")
    train_share: float = Field(0.8, gt=0, lt=1, description="Share of the items that the models train on.")
    replacements: int = Field(
        2, ge=1, description="Maximum number of easy wrong candidates replaced per item and iteration."
    )
    memory: float = Field(
        0.6, ge=0, lt=1, description="Weight of the scores of earlier models; 0: only the last model counts."
    )
    seed: int = Field(0, ge=0, description="Seed of the initial candidates, the parts and the models.")
    max_iterations: int = Field(60, ge=1, description="Maximum number of iterations.")
    patience: int = Field(10, ge=1, description="Stop after this many iterations without a new lowest accuracy.")
    min_fall: float = Field(0.005, ge=0, lt=1, description="Minimum decrease that counts as a new lowest accuracy.")

    @property
    def cycle(self) -> int:
        """Number of iterations in which every item is held out once."""
        return max(2, round(1 / (1 - self.train_share)))


STOPPING = ("max_iterations", "patience", "min_fall")
"""Parameters that only decide when to stop, not what an iteration does."""


class ChoiceParams(Params):
    """Which pairs become questions, and how many regroupings their wrong answers are chosen from."""

    wrong: int = Field(3, ge=1, description="Wrong answers per question.")
    min_population: int = Field(5, ge=1, description="Minimum number of regroupings of a pair.")
    population: int = Field(24, ge=2, description="Maximum number of regroupings considered per pair (N⁻).")
    uses: int = Field(10, ge=1, description="Maximum number of questions per statement within a split.")
    seed: int = Field(0, ge=0, description="Seed of the pairs, the regroupings and the order of the answers.")


class LanguageParams(Params):
    """The forward and backward LSTM language model that computes perplexities (appendices A.2 and A.3)."""

    folds: int = Field(5, ge=2, description="Number of folds; the model of a fold never sees its right candidates.")
    size: int = Field(64, ge=1, description="Width of embeddings and hidden states, which are tied.")
    epochs: int = Field(4, ge=1, description="Passes over the training texts.")
    batch_size: int = Field(32, ge=1, description="Texts per step.")
    learning_rate: float = Field(4e-3, gt=0, description="Learning rate of Adam.")
    dropout: float = Field(0.2, ge=0, lt=1, description="Dropout between layers.")
    vocabulary: int = Field(1000, ge=2, description="Vocabulary size: the most frequent words.")
    seed: int = Field(0, ge=0, description="Seed of the folds, the weights and the order of texts.")


class CommitteeParams(Params):
    """The four committee members and their ensemble."""

    reads: Literal["both", "second"] = Field("both", description="Which texts of a candidate the members read.")
    members: tuple[Literal["mlp", "bag", "cnn", "lstm"], ...] = Field(
        ("mlp", "bag", "cnn", "lstm"), min_length=1, description="Members of the committee."
    )
    size: int = Field(32, ge=1, description="Width of the embeddings and of each member's output.")
    vocabulary: int = Field(5000, ge=2, description="Vocabulary size of bag and CNN.")
    common_words: int = Field(
        100, ge=0, description="Number of frequent words that the LSTM sees; for others it sees only the tag."
    )
    widths: tuple[int, ...] = Field((2, 3, 4, 5), min_length=1, description="Filter widths of the CNN, in words.")
    max_tokens: int = Field(64, ge=8, description="Maximum number of words read per text.")
    epochs: int = Field(4, ge=1, description="Passes over the questions.")
    batch_size: int = Field(32, ge=1, description="Questions per step.")
    learning_rate: float = Field(3e-3, gt=0, description="Learning rate of Adam.")
    dropout: float = Field(0.3, ge=0, lt=1, description="Dropout before each head.")
    language: LanguageParams = LanguageParams()


Model = Literal["length", "bag", "bilstm", "bilinear"]


class BaselineParams(Params):
    """Baselines of section 4 of the paper that need no pretrained model from a hub."""

    models: tuple[Model, ...] = Field(("length", "bag", "bilstm", "bilinear"), description="Models to run.")
    folds: int = Field(
        0, ge=0, description="Folds to hold out in turn; 0: train on the train split, if there are splits."
    )
    runs: int = Field(2, ge=1, description="Seeds over which accuracy is averaged.")
    size: int = Field(64, ge=1, description="Width of the trained embeddings and hidden states.")
    epochs: int = Field(6, ge=1, description="Passes over the questions.")
    learning_rate: float = Field(3e-3, gt=0, description="Learning rate of Adam.")
    dropout: float = Field(0.3, ge=0, lt=1, description="Dropout before the last layer.")
    vocabulary: int = Field(5000, ge=2, description="Vocabulary size: the most frequent words.")
    max_tokens: int = Field(96, ge=8, description="Maximum number of words read per candidate.")
    batch_size: int = Field(32, ge=1, description="Questions per step.")
    bilinear_epochs: int = Field(30, ge=1, description="Passes of the bilinear layer over the questions.")
    decay: float = Field(1e-2, ge=0, description="Weight decay of the bilinear layer.")
    seed: int = Field(0, ge=0, description="Seed of the weights and the folds.")

    def committee(self, member: Literal["bag", "lstm"]) -> CommitteeParams:
        """Settings of a committee with a single member."""
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


Table = dict[str, Any]  # Any: parsed TOML


class FilterSettings(Params):
    """All settings of a filtering: questions, method, committee and baselines."""

    method: Literal["af", "aflite"] = Field("af", description="Adversarial filtering, or AFLite.")
    choice: ChoiceParams = ChoiceParams()
    filter: FilterParams = FilterParams()
    committee: CommitteeParams = CommitteeParams()
    aflite: AfliteParams = AfliteParams()
    baselines: BaselineParams = BaselineParams()
    audits: int = Field(2, ge=1, description="How often each question is held out when accuracy is measured.")


def filter_settings(method: str, file: Path | None = None, overrides: Sequence[str] = ()) -> FilterSettings:
    """Defaults, overridden by a TOML file and then by single settings (`filter.patience=5`).

    Raises:
        SettingsError: the file cannot be read, or it or an override is invalid.
    """
    values = _read_toml(file) if file else {}
    for override in overrides:
        _apply_override(values, override)
    try:
        return FilterSettings.model_validate({**values, "method": method})
    except ValidationError as error:
        messages = (f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors(include_url=False))
        raise SettingsError(f"invalid filter settings: {'; '.join(messages)}") from error


def _read_toml(file: Path) -> Table:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"settings {file} cannot be read as TOML: {error}") from error


def _apply_override(values: Table, override: str) -> None:
    name, equals, text = override.partition("=")
    path = [part.strip() for part in name.split(".")]
    if not equals or not all(path):
        raise SettingsError(
            f"invalid override {override!r}; expected `table.setting=value`, such as `filter.patience=5`"
        )
    for part in path[:-1]:
        values = values.setdefault(part, {})
        if not isinstance(values, dict):
            raise SettingsError(f"{override!r}: {part} is a value and has no settings")
    values[path[-1]] = _parse_value(text.strip())


def _parse_value(text: str) -> object:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
