"""The pipeline: every stage, declared once. Read this module first."""

from situatedgen import params, schemas
from situatedgen.commongen import params as concept_params
from situatedgen.commongen.stages import (
    captions,
    concept_counts,
    concept_examples,
    concept_sets,
    concept_splits,
    concepts,
)
from situatedgen.errors import unknown
from situatedgen.sources.params import ItemParams
from situatedgen.stages.candidates import candidates, count_reusable
from situatedgen.stages.communities import communities
from situatedgen.stages.embeddings import embedding_questions, embeddings
from situatedgen.stages.entities import entities, entity_questions
from situatedgen.stages.examples import examples
from situatedgen.stages.items import items
from situatedgen.stages.judged import judge_questions, judged, shortlist
from situatedgen.stages.judgements import judgements
from situatedgen.stages.keywords import keyword_questions, keywords
from situatedgen.stages.leakage import leakage
from situatedgen.stages.masks import masks
from situatedgen.stages.pairs import pairs
from situatedgen.stages.parses import parse_questions, parses
from situatedgen.stages.selected import selected
from situatedgen.stages.splits import splits
from situatedgen.stages.stage import Stage
from situatedgen.stages.statements import statement_questions, statements
from situatedgen.stages.terms import terms

# fmt: off
PIPELINE = (
    Stage(items, schemas.ITEMS, ItemParams, per_source=True),
    Stage(statements, schemas.STATEMENTS, params.StatementParams, ("converter",), statement_questions, per_source=True),
    Stage(entities, schemas.ENTITIES, params.EntityParams, ("tagger",), entity_questions),
    Stage(keywords, schemas.KEYWORDS, params.KeywordParams, ("nouns",), keyword_questions),
    Stage(masks, schemas.MASKS, params.MaskParams),
    Stage(parses, schemas.PARSES, params.ParseParams, ("parser",), parse_questions),
    Stage(embeddings, schemas.EMBEDDINGS, params.EmbeddingParams, ("encoder",), embedding_questions),
    Stage(candidates, schemas.CANDIDATES, params.CandidateParams, incremental_on="masks", count_reusable=count_reusable,
          previous_inputs=("statements", "entities", "masks", "embeddings")),
    Stage(pairs, schemas.PAIRS, params.PairParams),
    Stage(shortlist, schemas.JUDGED, params.ShortlistParams, ("judge",), judge_questions),
    Stage(judged, schemas.JUDGED, params.JudgedParams, ("judge",), judge_questions),
    Stage(selected, schemas.JUDGED, params.SelectedParams),
    Stage(terms, schemas.TERMS, params.TermParams),
    Stage(communities, schemas.COMMUNITIES, params.CommunityParams, ("detector",)),
    Stage(splits, schemas.SPLITS, params.SplitParams),
    Stage(judgements, schemas.JUDGEMENTS, params.JudgementParams),
    Stage(examples, schemas.EXAMPLES, params.ExampleParams),
    Stage(leakage, schemas.LEAKAGE, params.LeakageParams),
)
# The pipeline from captions to concept sets (CommonGen); captions are read as items.
CONCEPT_PIPELINE = (
    PIPELINE[0],
    Stage(concepts, concept_params.CONCEPTS, concept_params.ConceptParams, ("lemmatiser", "vocabulary"), captions),
    Stage(concept_counts, concept_params.CONCEPT_COUNTS, concept_params.ConceptCountParams),
    Stage(concept_sets, concept_params.CONCEPT_SETS, concept_params.ConceptSetParams),
    Stage(concept_splits, concept_params.CONCEPT_SPLITS, concept_params.ConceptSplitParams),
    Stage(concept_examples, concept_params.CONCEPT_EXAMPLES, concept_params.ConceptExampleParams),
)
# fmt: on
STAGES = {stage.name: stage for stage in PIPELINE}
ALL_STAGES = {stage.name: stage for stage in (*CONCEPT_PIPELINE, *PIPELINE)}
# Inputs that no stage produces: the splits of an earlier dataset and annotator decisions; either may be empty.
EXTERNAL_INPUTS = {"precedent": schemas.PRECEDENT, "decisions": schemas.DECISIONS}


def stage(name: str) -> Stage:
    """Look up a stage by name.

    Raises:
        SettingsError: there is no such stage.
    """
    if name not in ALL_STAGES:
        raise unknown("stage", name, STAGES)
    return ALL_STAGES[name]


def schema_of(name: str) -> schemas.Schema:
    """The schema of an artifact, which is the output of a stage or an external input.

    Raises:
        SettingsError: there is no such artifact.
    """
    return EXTERNAL_INPUTS[name] if name in EXTERNAL_INPUTS else stage(name).schema
