"""Open a dataset by name (a published folder or a build of a store) and compare two datasets."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from situatedgen.dataset.diff.compare import Differences, differences
from situatedgen.dataset.diff.reasons import TOLD_BY, Side, side
from situatedgen.dataset.folder import MANIFEST, read_examples, read_manifest
from situatedgen.errors import SettingsError, StoreError
from situatedgen.pipeline import schema_of
from storage.builds import Build, all_builds, build_file, no_builds
from storage.filesystem import readable
from storage.plan.reasons import flatten
from storage.releases import releases
from storage.store import UNREADABLE, ArtifactRef, Store, file_digest


def find_build(store: Store, name: str) -> Build:
    """Return the build with this name: `latest`, `previous`, a release, or a unique prefix of its `created` time.

    Raises:
        StoreError: no build, or more than one, matches the name.
    """
    found = all_builds(store)
    named = dict(zip(("latest", "previous"), reversed(found), strict=False))
    if name not in named:
        named.update({release.name: release.build for release in releases(store).values()})
    if not named:
        raise no_builds(store)
    meant = [named[name]] if name in named else _find_by_prefix(found, name)
    if len(meant) == 1:
        return meant[0]
    problem = f"{name!r} matches {len(meant)} builds" if meant else f"unknown build {name!r}"
    raise StoreError(f"{problem}; known: {', '.join([*named, *(build.created for build in found)])}")


def _find_by_prefix(builds: Sequence[Build], name: str) -> list[Build]:
    begun = [build for build in builds if name and build_file(build.created).startswith(build_file(name))]
    exact = [build for build in begun if build_file(build.created) == build_file(name)]
    return exact or begun


BACK = re.compile(r"latest~(\d+)")


@dataclass(frozen=True)
class ArtifactEntry:
    """An artifact and its cache key."""

    ref: ArtifactRef
    key: str


@dataclass(frozen=True)
class Dataset:
    """A dataset: its name, creation time, settings, examples and source artifacts."""

    name: str
    created: str
    settings: Mapping[str, object]
    examples: pl.DataFrame
    artifacts: tuple[ArtifactEntry, ...]


def open_dataset(name: str, store: Store) -> Dataset:
    """Return the dataset with this name: a dataset folder, otherwise a build of the store.

    Raises:
        SettingsError: the folder is not a dataset.
        StoreError: no such folder or build exists, or its examples cannot be read.
    """
    folder = Path(name)
    if read_manifest(folder):
        return _open_folder(folder)
    try:
        build = _find_named(name, store)
    except StoreError:
        if folder.exists():
            raise SettingsError(f"{name} is not a situatedgen dataset (no {MANIFEST})") from None
        raise
    return _open_build(build, store)


def read_artifacts(stage: str, artifacts: tuple[ArtifactEntry, ...], store: Store) -> pl.DataFrame:
    """Return the table of a stage, concatenated over its sources.

    Raises:
        StoreError: the stage has no artifact, or it cannot be read.
    """
    parts = [_read(kept, store) for kept in artifacts if kept.ref.stage == stage]
    if not parts:
        raise StoreError(f"the dataset has no artifact of stage {stage!r}")
    return parts[0] if len(parts) == 1 else pl.concat(parts).sort(schema_of(stage).key)


def _open_folder(folder: Path) -> Dataset:
    manifest = read_manifest(folder)
    artifacts = tuple(_read_entry(name, entry) for name, entry in manifest.get("stages", {}).items())
    try:
        examples = read_examples(folder)
    except UNREADABLE as error:
        raise StoreError(f"the examples of {folder} cannot be read: {error}") from error
    return Dataset(str(folder), manifest.get("created", ""), manifest.get("settings", {}), examples, artifacts)


def _read_entry(name: str, entry: Mapping[str, object]) -> ArtifactEntry:
    stage, _, source = name.partition("/")
    fields = {"stage": stage, "source": source, "digest": entry["digest"], "rows": entry["rows"]}
    return ArtifactEntry(ArtifactRef.model_validate(fields), str(entry["key"]))


def _find_named(name: str, store: Store) -> Build:
    """Return the build with this name; `latest~2` is the second before the latest."""
    back = BACK.fullmatch(name)
    builds = all_builds(store) if back else []
    if back and int(back[1]) < len(builds):
        return builds[-1 - int(back[1])]
    return find_build(store, name)


def _open_build(build: Build, store: Store) -> Dataset:
    artifacts = tuple(ArtifactEntry(outcome.ref, outcome.key) for outcome in build.outcomes)
    examples = read_artifacts("examples", artifacts, store)
    return Dataset(build.created, build.created, build.settings, examples, artifacts)


def _read(kept: ArtifactEntry, store: Store) -> pl.DataFrame:
    """Read an artifact, checking the file digest if it is known, which is faster than hashing the rows."""
    record = store.record(kept.ref.stage, kept.key)
    if record is not None and record.ref.digest == kept.ref.digest:
        with suppress(OSError):
            content = readable(store.path(kept.ref))
            if file_digest(content) == record.file_digest:
                return pl.read_parquet(content, use_statistics=False)
    return store.read(kept.ref)


@dataclass(frozen=True)
class Comparison:
    """Two datasets, how they and their settings differ, and notes on what could not be determined."""

    old: Dataset
    new: Dataset
    sides: tuple[Side, Side]
    differences: Differences
    settings: dict[str, tuple[object, object]]
    notes: tuple[str, ...]


def compare(old_name: str, new_name: str, *, store: Store) -> Comparison:
    """Compare two datasets, each given as a folder or as a build of the store.

    Raises:
        SettingsError: a folder is not a dataset.
        StoreError: no such folder or build exists, or its examples cannot be read.
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
    return Comparison(old, new, sides, differences(*sides), _changed_settings(old, new), tuple(notes))


def _is_comparable(old: Side, new: Side) -> bool:
    return old.examples.sort("example_id").equals(new.examples.sort("example_id"))


def _describe_side(dataset: Dataset, store: Store, known: dict[str, pl.DataFrame], notes: list[str]) -> Side:
    return side(dataset.examples, _read_tables(dataset, store, known, notes))


def _read_tables(
    dataset: Dataset, store: Store, known: dict[str, pl.DataFrame], notes: list[str]
) -> dict[str, pl.DataFrame]:
    """Read the tables that explain differences, each at most once; add a note and return {} if one is unreadable."""
    found: dict[str, pl.DataFrame] = {}
    for stage in TOLD_BY:
        content = " ".join([stage, *(kept.ref.digest for kept in dataset.artifacts if kept.ref.stage == stage)])
        try:
            found[stage] = known[content] if content in known else read_artifacts(stage, dataset.artifacts, store)
        except StoreError:
            notes.append(f"{store.root} lacks tables of {dataset.name}, so not all reasons are known")
            return {}
        known[content] = found[stage]
    return found


def _changed_settings(old: Dataset, new: Dataset) -> dict[str, tuple[object, object]]:
    """Return the settings that differ, by dotted name."""
    before, after = dict(flatten(old.settings)), dict(flatten(new.settings))
    names = [name for name in sorted({*before, *after}) if before.get(name) != after.get(name)]
    return {name: (before.get(name), after.get(name)) for name in names}
