"""Builds of the sample with weightless models, into a store of a test's own."""

from situatedgen.pipeline import PIPELINE
from situatedgen.presets import load
from situatedgen.runtime import Runtime
from situatedgen.sources import sample_folder
from situatedgen.sources.builtin import COLLECTIONS
from storage import plain
from storage.builds import Build
from storage.requests import BuildRequest
from storage.store import Store

ARTIFACTS = sum(len(COLLECTIONS) if each.per_source else 1 for each in PIPELINE)
"""How many artifacts a build of the sample has."""


def build(store: Store, *overrides: str) -> Build:
    request = BuildRequest(load("tiny", overrides), sample_folder())
    return plain.build(request, store, Runtime())
