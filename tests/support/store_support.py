"""Builds with weightless models into a store of a test's own, and what came of them."""

from pathlib import Path
from typing import Any

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

MACHINE = Runtime()


def built(
    store: Store, sources: Path, *overrides: str, out: Path | None = None, runtime: Runtime = MACHINE, **more: Any
) -> Build:
    """A build of some sources, published if a folder is given; what else a request takes may be given, too."""
    request = BuildRequest(load("tiny", overrides), sources, **more)
    if out is None:
        return plain.build(request, store, runtime)
    return plain.build_dataset(request, store=store, out=out, runtime=runtime)


def build(store: Store, *overrides: str, **more: Any) -> Build:
    """A build of the sample."""
    return built(store, sample_folder(), *overrides, **more)


def made(finished: Build) -> list[str]:
    """The artifacts that a build did not reuse."""
    return [outcome.ref.name for outcome in finished.outcomes if not outcome.reused]


def digests(finished: Build) -> dict[str, str]:
    """The content of every artifact."""
    return {outcome.ref.name: outcome.ref.digest for outcome in finished.outcomes}
