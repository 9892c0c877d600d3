"""Opens a dataset by its name: a published folder, or a build of a store."""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from situatedgen.errors import SettingsError, StoreError
from situatedgen.pipeline import schema_of
from situatedgen.report.folder import MANIFEST, read_examples, read_manifest
from storage.artifacts import ArtifactRef
from storage.build_names import find_build
from storage.builds import all_builds
from storage.digests import file_digest
from storage.filesystem import readable
from storage.outcomes import Build
from storage.store import UNREADABLE, Store

BACK = re.compile(r"latest~(\d+)")


@dataclass(frozen=True)
class Kept:
    """An artifact, and the key it was made under."""

    ref: ArtifactRef
    key: str


@dataclass(frozen=True)
class Dataset:
    """A dataset: its name, when it was made, its settings, its examples, and the artifacts it was made from."""

    name: str
    created: str
    settings: Mapping[str, object]
    examples: pl.DataFrame
    artifacts: tuple[Kept, ...]


def opened(name: str, store: Store) -> Dataset:
    """The dataset of a name: a dataset folder, or else a build of the store.

    Raises:
        SettingsError: the folder is no dataset.
        StoreError: there is no such folder or build, or its examples cannot be read.
    """
    folder = Path(name)
    if read_manifest(folder):
        return _folder(folder)
    try:
        build = _named(name, store)
    except StoreError:
        if folder.exists():
            raise SettingsError(f"{name} is no dataset folder: it has no {MANIFEST} of ours") from None
        raise
    return _build(build, store)


def table(stage: str, artifacts: tuple[Kept, ...], store: Store) -> pl.DataFrame:
    """The table of a stage, put together where each source has its own.

    Raises:
        StoreError: there is none, or it cannot be read.
    """
    parts = [_read(kept, store) for kept in artifacts if kept.ref.stage == stage]
    if not parts:
        raise StoreError(f"no artifact of {stage} is known")
    return parts[0] if len(parts) == 1 else pl.concat(parts).sort(schema_of(stage).key)


def _folder(folder: Path) -> Dataset:
    manifest = read_manifest(folder)
    artifacts = tuple(_kept(name, entry) for name, entry in manifest.get("stages", {}).items())
    try:
        examples = read_examples(folder)
    except UNREADABLE as error:
        raise StoreError(f"the examples of {folder} cannot be read: {error}") from error
    return Dataset(str(folder), manifest.get("created", ""), manifest.get("settings", {}), examples, artifacts)


def _kept(name: str, entry: Mapping[str, object]) -> Kept:
    stage, _, source = name.partition("/")
    told = {"stage": stage, "source": source, "digest": entry["digest"], "rows": entry["rows"]}
    return Kept(ArtifactRef.model_validate(told), str(entry["key"]))


def _named(name: str, store: Store) -> Build:
    """The build of a name; `latest~2` is the second before the latest."""
    back = BACK.fullmatch(name)
    builds = all_builds(store) if back else []
    if back and int(back[1]) < len(builds):
        return builds[-1 - int(back[1])]
    return find_build(store, name)


def _build(build: Build, store: Store) -> Dataset:
    artifacts = tuple(Kept(outcome.ref, outcome.key) for outcome in build.outcomes)
    examples = table("examples", artifacts, store)
    return Dataset(build.created, build.created, build.settings, examples, artifacts)


def _read(kept: Kept, store: Store) -> pl.DataFrame:
    """The table of an artifact; the digest of its file, where that is known, spares the slower one of its rows."""
    record = store.record(kept.ref.stage, kept.key)
    if record is not None and record.ref.digest == kept.ref.digest:
        with suppress(OSError):
            content = readable(store.path(kept.ref))
            if file_digest(content) == record.file_digest:
                return pl.read_parquet(content, use_statistics=False)
    return store.read(kept.ref)
