"""Publishes a build as a dataset folder, with a manifest that records the origin of each table."""

from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

import polars as pl

from situatedgen.dataset.folder import add_questions, read_manifest
from situatedgen.dataset.folder import publish as write_folder
from situatedgen.dataset.validity import check_validity, validity
from situatedgen.errors import StoreError
from situatedgen.models.readings import held_back
from situatedgen.models.registry import REGISTRY
from storage.builds import Build, Outcome, Tables, all_builds
from storage.store import ArtifactRef, Store

LIBRARIES = ("situatedgen", "polars", "pyarrow", "numpy", "prefect")


def publish(build: Build, *, store: Store, out: Path, min_validity: float = 0.0) -> Path:
    """Write the dataset folder of a build atomically.

    Raises:
        ValidityError: the share of valid pairs is below `min_validity`; the folder is left unchanged.
    """
    tables = Tables(store, build)
    if min_validity:
        check_validity(validity(tables, held_back(build.settings)), min_validity, settings=build.settings)
    write_folder(out, tables, manifest(build))
    return out


def publish_questions(dataset: Path, questions: pl.DataFrame, *, store: Store) -> Path:
    """Rewrite a dataset folder atomically, adding the questions as its configuration `choice`.

    Raises:
        StoreError: the store has no record of the dataset's build, or has lost one of its tables.
    """
    stages = read_manifest(dataset)["stages"]
    build = next((each for each in reversed(all_builds(store)) if _matches_manifest(each, stages)), None)
    if build is None:
        raise StoreError(f"no build in {store.root} produced {dataset}; build it again, then filter")
    write_folder(dataset, *add_questions(Tables(store, build), manifest(build), questions))
    return dataset


def _matches_manifest(build: Build, stages: Mapping[str, Mapping[str, object]]) -> bool:
    made = {outcome.ref.name: outcome.ref.digest for outcome in build.outcomes}
    return made == {name: entry["digest"] for name, entry in stages.items()}


def publish_concepts(build: Build, *, store: Store, out: Path) -> Path:
    """Write the concept-set folder of a build atomically."""
    # Imports modules that other builds do not need.
    from situatedgen.commongen.folder import publish as write_concepts  # noqa: PLC0415

    return write_concepts(out, Tables(store, build), manifest(build))


def manifest(build: Build) -> dict[str, object]:
    """Return the provenance of a dataset: settings, every artifact with its key and digest, and package versions."""
    return {
        "created": build.created,
        "settings": build.settings,
        "precedent": describe_input(build.precedent),
        "decisions": describe_input(build.decisions),
        "stages": {outcome.ref.name: _entry(outcome) for outcome in build.outcomes},
        "versions": {package: version(package) for package in sorted(_packages(build))},
    }


def describe_input(given: ArtifactRef | None) -> dict[str, object] | None:
    """Describe an input of a build by digest only, because decisions reveal who judged what."""
    return {"digest": given.digest, "rows": given.rows} if given else None


def _entry(outcome: Outcome) -> dict[str, object]:
    ref = outcome.ref
    return {
        "key": outcome.key,
        "digest": ref.digest,
        "rows": ref.rows,
        "path": ref.place,
        "seconds": round(outcome.seconds, 3),
        "rows_computed": outcome.computed,
        "rows_reused": ref.rows if outcome.reused else outcome.recalled,
    }


def _packages(build: Build) -> set[str]:
    """Return the packages that a build depends on: our core libraries and those of the chosen models."""
    chosen = {
        package
        for stage in build.settings.values()
        if isinstance(stage, dict)
        for role, params in stage.items()
        if role in REGISTRY and params["name"] in REGISTRY[role]
        for package in REGISTRY[role][params["name"]].packages
    }
    return {*LIBRARIES, *chosen}
