"""Named entities by the small English spaCy model, with the places and times that it misses put beside it."""

from collections.abc import Sequence

from situatedgen.models.spacy_models import NOT_FOR_ENTITIES, entities_of, parse, require
from situatedgen.params import ModelParams
from situatedgen.records import Entity
from situatedgen.rules.entities import reconcile
from situatedgen.rules.places import find_places
from situatedgen.rules.text import true_case
from situatedgen.rules.times import find_times
from situatedgen.runtime import Runtime


class EmbeddedTagger:
    """Reads each text with its names in capitals, and weighs what spaCy finds against our rules."""

    def __init__(self, params: ModelParams, runtime: Runtime) -> None:  # noqa: ARG002
        require(params)

    def tag(self, texts: Sequence[str]) -> list[tuple[Entity, ...]]:
        """The entities of each text; the capitals change no offset."""
        cased = [true_case(text) for text in texts]
        docs = parse(cased, disable=NOT_FOR_ENTITIES)
        found = []
        for text, doc in zip(cased, docs, strict=True):
            found.append(reconcile(text, entities_of(doc), [*find_times(text), *find_places(text)]))
        return found
