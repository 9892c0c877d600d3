"""The builds that a store remembers, newest last: what `show`, `trace` and `funnel` look at."""

import polars as pl

from situatedgen.errors import StoreError
from situatedgen.pipeline import PIPELINE, stage
from storage.artifacts import ArtifactRef
from storage.outcomes import Build
from storage.store import Store


def remember(store: Store, build: Build) -> None:
    """Write a build down in its store."""
    name = build.created.replace(":", "").replace(".", "-")
    store.write_json(store.root / "builds" / f"{name}.json", build.model_dump(mode="json"))


def latest(store: Store) -> Build:
    """The newest build of a store.

    Raises:
        StoreError: nothing was built there yet.
    """
    for path in sorted((store.root / "builds").glob("*.json"), reverse=True):
        value = store.read_json(path)
        if value is not None:
            return Build.model_validate(value)
    raise StoreError(f"nothing was built in {store.root} yet; run `situatedgen build` first")


def table(store: Store, build: Build, name: str) -> pl.DataFrame:
    """The table of a stage as a build left it."""
    return whole(store, build.refs(name), name)


def tables(store: Store, build: Build) -> dict[str, pl.DataFrame]:
    """All tables of a build, by stage."""
    return {each.name: table(store, build, each.name) for each in PIPELINE}


def whole(store: Store, refs: tuple[ArtifactRef, ...], name: str) -> pl.DataFrame:
    """The table of a stage, put together where each source has its own."""
    parts = [store.read(ref) for ref in refs]
    return parts[0] if len(parts) == 1 else pl.concat(parts).sort(stage(name).schema.key)
