"""Orders of concept sets, and builds of them without Prefect: the same store, runner and keys as for any dataset."""

from pathlib import Path

from situatedgen.commongen.params import ConceptSettings
from situatedgen.commongen.pipeline import CONCEPT_PIPELINE
from situatedgen.runtime import Runtime
from storage.observers import Observer
from storage.outcomes import Build
from storage.plain import build
from storage.planning import Order
from storage.publication import publish_concepts
from storage.store import Store


def concept_order(settings: ConceptSettings, captions: Path, *, strict: bool = False) -> Order:
    """What is to be built of the captions in a folder."""
    return Order(settings, captions, strict=strict, pipeline=CONCEPT_PIPELINE)


def build_concepts(
    order: Order, *, store: Store, out: Path, runtime: Runtime, observer: Observer | None = None
) -> Build:
    """The finished build of an order, published into a folder."""
    finished = build(order, store, runtime, observer)
    publish_concepts(finished, store=store, out=out)
    return finished
