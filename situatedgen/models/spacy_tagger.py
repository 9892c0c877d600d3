"""Named entities by the small English spaCy model, as it finds them."""

from collections.abc import Sequence

from spacy.tokens import Doc

from situatedgen.models.spacy_model import parse, require
from situatedgen.params import ModelParams
from situatedgen.records import Entity
from situatedgen.runtime import Runtime
from situatedgen.vocabulary import Label

# The entity recogniser has word vectors of its own: the shared ones serve the parser and the tagger.
UNUSED = ("tok2vec", "tagger", "parser", "attribute_ruler", "lemmatizer")


class SpacyTagger:
    """Takes the entities that spaCy finds."""

    def __init__(self, params: ModelParams, runtime: Runtime) -> None:  # noqa: ARG002
        require(params)

    def tag(self, texts: Sequence[str]) -> list[tuple[Entity, ...]]:
        """The entities of each text."""
        return [entities_of(doc) for doc in parse(texts, disable=UNUSED)]


def entities_of(doc: Doc) -> tuple[Entity, ...]:
    """The entities of an analysed text."""
    return tuple(Entity(found.start_char, found.end_char, Label(found.label_)) for found in doc.ents)
