"""Params of each stage: the settings that affect the data, and therefore enter the cache keys."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from situatedgen.preset_files import default_value
from situatedgen.vocabulary import Mode, Split


class Params(BaseModel):
    """Base class for the settings of a stage: frozen, and unknown fields are rejected."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ModelParams(Params):
    """Which model fills a role: its registry name or `module:attribute`, its weights and their revision."""

    name: str = Field(description="A registry name, or `module:attribute` for a class of your own.")
    weights: str = Field("", description="A package, hub name or folder, if the model supports several.")
    revision: str = Field("", description="The exact revision of the weights; never `latest`.")


class TermParams(Params):
    """How licences are named; has no options."""


class StatementParams(Params):
    """How questions become statements."""

    converter: ModelParams = ModelParams.model_validate(default_value("statements", "converter"))
    min_confidence: float = Field(
        default_value("statements", "min_confidence"),
        ge=0,
        le=1,
        description="Minimum confidence of a conversion.",
    )


class EntityParams(Params):
    """How named entities are found."""

    tagger: ModelParams = ModelParams.model_validate(default_value("entities", "tagger"))


class KeywordParams(Params):
    """How nouns are found."""

    nouns: ModelParams = ModelParams.model_validate(default_value("keywords", "nouns"))


class MaskParams(Params):
    """How keywords are masked, and how many masks a statement may have."""

    mask: str = Field(default_value("masks", "mask"), min_length=1, description="The token that replaces a keyword.")
    min_masks: int = Field(
        default_value("masks", "min_masks"), ge=0, description="Minimum number of masks in a statement."
    )
    max_masks: int = Field(
        default_value("masks", "max_masks"), ge=1, description="Maximum number of masks in a statement."
    )


class EmbeddingParams(Params):
    """How masked texts become vectors."""

    encoder: ModelParams = ModelParams.model_validate(default_value("embeddings", "encoder"))


class CandidateParams(Params):
    """Which pairs become candidates."""

    floor: float = Field(
        default_value("candidates", "floor"), gt=0, le=1, description="Minimum similarity of a candidate pair."
    )
    max_neighbours: int = Field(
        default_value("candidates", "max_neighbours"),
        ge=0,
        description="Keep only pairs among this many nearest ones of either statement; 0: keep all.",
    )


class PairParams(Params):
    """Which candidates become pairs."""

    min_similarity: float = Field(
        default_value("pairs", "min_similarity"), gt=0, le=1, description="Minimum similarity of a pair."
    )


class ParseParams(Params):
    """How statements are parsed."""

    parser: ModelParams = ModelParams.model_validate(default_value("parses", "parser"))


class ShortlistParams(Params):
    """The cheap judge that screens all pairs, and its threshold."""

    judge: ModelParams = ModelParams.model_validate(default_value("shortlist", "judge"))
    min_probability: float = Field(
        default_value("shortlist", "min_probability"),
        ge=0,
        le=1,
        description="Minimum probability that a pair is valid.",
    )


class JudgedParams(Params):
    """The judge of the shortlisted pairs, and its thresholds."""

    judge: ModelParams = ModelParams.model_validate(default_value("judged", "judge"))
    min_probability: float = Field(
        default_value("judged", "min_probability"),
        ge=0,
        le=1,
        description="Minimum probability that a pair is valid.",
    )
    min_fluent: float = Field(
        default_value("judged", "min_fluent"),
        ge=0,
        le=1,
        description="Minimum probability that both sentences are good English.",
    )
    min_common: float = Field(
        default_value("judged", "min_common"),
        ge=0,
        le=1,
        description="Minimum probability that both sentences are general knowledge.",
    )


class SelectedParams(Params):
    """Upper limits for how much of a dataset one sentence, or one kind of sentence, may fill."""

    max_pairs_per_statement: int = Field(
        default_value("selected", "max_pairs_per_statement"),
        ge=0,
        description="Maximum number of pairs per sentence; 0: no limit.",
    )
    max_family_share: float = Field(
        default_value("selected", "max_family_share"),
        gt=0,
        le=1,
        description="Maximum share of all slots filled by sentences with the same predicate; 1: no limit.",
    )
    min_repeat_probability: float = Field(
        default_value("selected", "min_repeat_probability"),
        ge=0,
        le=1,
        description="The least probability of a pair that adds no new sentence to the dataset.",
    )


class CommunityParams(Params):
    """How statements are grouped into communities."""

    detector: ModelParams = ModelParams.model_validate(default_value("communities", "detector"))
    seed: int = Field(default_value("communities", "seed"), ge=0, description="Seed of the community detection.")


class SplitParams(Params):
    """How communities are assigned to splits."""

    test_share: float = Field(
        default_value("splits", "test_share"), ge=0, lt=1, description="Maximum share of the pairs in test."
    )
    dev_share: float = Field(
        default_value("splits", "dev_share"), ge=0, lt=1, description="Maximum share of the pairs in dev."
    )
    seed: int = Field(
        default_value("splits", "seed"), ge=0, description="Seed of the order in which communities are assigned."
    )
    starts: int = Field(
        default_value("splits", "starts"),
        ge=0,
        le=1000,
        description="Number of random packings to improve; 0: use the first one unchanged.",
    )
    size_weight: float = Field(
        default_value("splits", "size_weight"), ge=0, description="Weight of matching the requested shares."
    )
    source_weight: float = Field(
        default_value("splits", "source_weight"),
        ge=0,
        description="Weight of having the same mix of sources in every split.",
    )
    context_weight: float = Field(
        default_value("splits", "context_weight"),
        ge=0,
        description="Weight of having the same mix of contexts in every split.",
    )
    probability_weight: float = Field(
        default_value("splits", "probability_weight"),
        ge=0,
        description="Weight of equally probable pairs in every split.",
    )
    family_weight: float = Field(
        default_value("splits", "family_weight"),
        ge=0,
        description="Weight of the same mix of predicates in every split.",
    )
    leakage_weight: float = Field(
        default_value("splits", "leakage_weight"), ge=0, description="Weight of having few near neighbours in train."
    )
    cut_weight: float = Field(
        default_value("splits", "cut_weight"),
        ge=0,
        description="Weight of having few pairs between communities of different splits.",
    )
    crossing: Literal["cut", "keep"] = Field(
        default_value("splits", "crossing"),
        description="Pairs between communities of the same split: cut them, as in the paper, or keep them.",
    )


class JudgementParams(Params):
    """Which annotator decisions count, and in which splits."""

    modes: tuple[Mode, ...] = Field(
        tuple(Mode(mode) for mode in default_value("judgements", "modes")),
        description="Decisions made in these modes count.",
    )
    splits: tuple[Split, ...] = Field(
        tuple(Split(split) for split in default_value("judgements", "splits")),
        description="Remove pairs that annotators judged invalid from these splits.",
    )


class ExampleParams(Params):
    """How examples are written."""

    seed: int = Field(default_value("examples", "seed"), ge=0, description="Seed of the order of the keywords.")


class LeakageParams(Params):
    """Upper limits for the similarity of dev and test to train; a build that exceeds them fails."""

    max_neighbour: float = Field(
        default_value("leakage", "max_neighbour"),
        ge=0,
        le=1,
        description="Maximum cosine between a masked text of dev or test and one of train.",
    )
    max_close_share: float = Field(
        default_value("leakage", "max_close_share"),
        ge=0,
        le=1,
        description="Maximum share of dev and test examples with a mean cosine of 0.9 or more to train.",
    )
    max_shared_templates: int = Field(
        default_value("leakage", "max_shared_templates"),
        ge=0,
        description="Maximum number of masked texts that occur in two splits.",
    )
    max_hub_share: float = Field(
        default_value("leakage", "max_hub_share"),
        ge=0,
        le=1,
        description="Maximum share of all slots filled by the top tenth of the statements.",
    )
