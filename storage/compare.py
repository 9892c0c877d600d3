"""Compares two datasets, each a published folder or a build of a store."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from situatedgen.dataset.diff.compare import Differences, differences
from situatedgen.dataset.diff.reasons import TOLD_BY, Side, side
from situatedgen.errors import StoreError
from storage.datasets import Dataset, open_dataset, read_artifacts
from storage.store import Store


@dataclass(frozen=True)
class Comparison:
    """Two datasets, how they and their settings differ, and what could not be told."""

    old: Dataset
    new: Dataset
    sides: tuple[Side, Side]
    differences: Differences
    settings: dict[str, tuple[object, object]]
    notes: tuple[str, ...]


def compare(old_name: str, new_name: str, *, store: Store) -> Comparison:
    """How one dataset differs from another, each given as a folder or as a build of the store.

    Raises:
        SettingsError: a folder is no dataset.
        StoreError: there is no such folder or build, or its examples cannot be read.
    """
    old, new = open_dataset(old_name, store), open_dataset(new_name, store)
    bare = side(old.examples), side(new.examples)
    notes: list[str] = []
    known: dict[str, pl.DataFrame] = {}
    sides = (
        bare
        if _is_comparable(*bare)
        else (_describe_side(old, store, known, notes), _describe_side(new, store, known, notes))
    )
    return Comparison(old, new, sides, differences(*sides), _settings(old, new), tuple(notes))


def _is_comparable(old: Side, new: Side) -> bool:
    return old.examples.sort("example_id").equals(new.examples.sort("example_id"))


def _describe_side(dataset: Dataset, store: Store, known: dict[str, pl.DataFrame], notes: list[str]) -> Side:
    return side(dataset.examples, _tables(dataset, store, known, notes))


def _tables(
    dataset: Dataset, store: Store, known: dict[str, pl.DataFrame], notes: list[str]
) -> dict[str, pl.DataFrame]:
    """The tables that tell why; none, and a note, where one cannot be read. Those of both datasets are read once."""
    found: dict[str, pl.DataFrame] = {}
    for stage in TOLD_BY:
        content = " ".join([stage, *(kept.ref.digest for kept in dataset.artifacts if kept.ref.stage == stage)])
        try:
            found[stage] = known[content] if content in known else read_artifacts(stage, dataset.artifacts, store)
        except StoreError:
            notes.append(f"the tables of {dataset.name} are not all in {store.root}: why is not all told")
            return {}
        known[content] = found[stage]
    return found


def _settings(old: Dataset, new: Dataset) -> dict[str, tuple[object, object]]:
    """The settings that differ, by their dotted names."""
    before, after = dict(_flat(old.settings)), dict(_flat(new.settings))
    names = [name for name in sorted({*before, *after}) if before.get(name) != after.get(name)]
    return {name: (before.get(name), after.get(name)) for name in names}


def _flat(settings: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value
