"""The pairs of a dataset folder for people to judge, with the marks of the build that made it."""

from pathlib import Path

import polars as pl

from situatedgen.errors import StoreError
from situatedgen.report.folder import read_examples, read_manifest
from situatedgen.review.sheets import Sheets, sheets
from storage.artifacts import ArtifactRef
from storage.store import Store


def review_pairs(dataset: Path, store: Store) -> Sheets:
    """The pairs of a dataset folder; a store that does not hold its entities any more is done without.

    Raises:
        SettingsError: the folder is no dataset of ours.
    """
    return sheets(read_examples(dataset), _entities(dataset, store))


def _entities(dataset: Path, store: Store) -> pl.DataFrame | None:
    made = read_manifest(dataset).get("stages", {}).get("entities")
    if not made:
        return None
    try:
        return store.read(ArtifactRef(stage="entities", digest=made["digest"], rows=made["rows"]))
    except StoreError:
        return None
