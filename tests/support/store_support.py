"""Builds of the sample with weightless models, into a store of a test's own."""

from situatedgen.presets import load
from situatedgen.runtime import Runtime
from situatedgen.sources import sample_folder
from storage import plain
from storage.builds import Build
from storage.requests import BuildRequest
from storage.store import Store


def build(store: Store, *overrides: str) -> Build:
    request = BuildRequest(load("tiny", overrides), sample_folder())
    return plain.build(request, store, Runtime())
