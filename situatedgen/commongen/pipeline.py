"""The line from captions to a dataset of concept sets, each stage declared once; captions are read as items are."""

from situatedgen.commongen import params, schemas
from situatedgen.commongen.dealing import concept_examples, concept_splits
from situatedgen.commongen.stages import captions, concept_counts, concept_sets, concepts
from situatedgen.pipeline import STAGES, Stage

# fmt: off
CONCEPT_PIPELINE = (
    STAGES["items"],
    Stage(concepts, schemas.CONCEPTS, params.ConceptParams, ("lemmatiser", "vocabulary"), captions),
    Stage(concept_counts, schemas.CONCEPT_COUNTS, params.ConceptCountParams),
    Stage(concept_sets, schemas.CONCEPT_SETS, params.ConceptSetParams),
    Stage(concept_splits, schemas.CONCEPT_SPLITS, params.ConceptSplitParams),
    Stage(concept_examples, schemas.CONCEPT_EXAMPLES, params.ConceptExampleParams),
)
# fmt: on
