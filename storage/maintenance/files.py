"""Lists every file of a store with its kind, and which files a build needs."""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from storage.builds import Build, build_file
from storage.filesystem import BucketPath, StorePath
from storage.memo import memo_name
from storage.releases import artifacts_of
from storage.store import KeyRecord


class Kind(StrEnum):
    """Kinds of store files, in a safe order of deletion: no file goes before those that reference it."""

    BUILDS = "builds"
    RELEASES = "releases"
    KEYS = "keys"
    RESULTS = "prefect"
    CODE = "code"
    ARTIFACTS = "artifacts"
    MEMO = "memo"
    LEFTOVERS = "tmp"
    LOCKS = "locks"
    SEEN = "seen"
    UNKNOWN = "unknown"


HEX = "[0-9a-f]{64}"
PLACES = (
    (Kind.BUILDS, re.compile(r"builds/[0-9TZ-]+\.json")),
    (Kind.RELEASES, re.compile(r"releases/[A-Za-z0-9][A-Za-z0-9._-]*\.json")),
    (Kind.KEYS, re.compile(rf"keys/[^/]+/{HEX}\.json")),
    (Kind.RESULTS, re.compile(rf"prefect/{HEX}")),
    (Kind.CODE, re.compile(rf"code/{HEX}\.json")),
    (Kind.ARTIFACTS, re.compile(rf"artifacts/[^/]+/{HEX}\.parquet")),
    (Kind.MEMO, re.compile(rf"memo/[^/]+/{HEX}/({HEX}\.parquet|identity\.json)")),
    (Kind.LEFTOVERS, re.compile(r"tmp/.+")),
    (Kind.LOCKS, re.compile(r"locks/[^/]+\.lock")),
    (Kind.SEEN, re.compile(rf"seen/{HEX}(/\w[\w.-]*)?\.json")),
)


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of a store: its kind, path relative to the root, size, and modification time."""

    kind: Kind
    place: str
    size: int
    modified: float

    @property
    def unit(self) -> str:
        """The unit of deletion: the file, or the whole memo of a model."""
        return self.place.rpartition("/")[0] if self.kind is Kind.MEMO else self.place

    @property
    def group(self) -> str:
        """The folder below the kind's own: the stage of an artifact, or the role of a memo."""
        return self.place.split("/")[1] if "/" in self.place else ""

    @property
    def name(self) -> str:
        """The file name without suffix: a digest, a key, or the time of a build."""
        return Path(self.place).stem


def kind_of(place: str) -> Kind:
    """Return the kind of a file by its path relative to the root; unknown if no build writes such files."""
    return next((kind for kind, pattern in PLACES if pattern.fullmatch(place)), Kind.UNKNOWN)


def list_files(root: StorePath) -> list[StoredFile]:
    """Return the files of a store, sorted by path."""
    found = _files(root) if isinstance(root, Path) else _objects(root)
    return sorted(found, key=lambda kept: kept.place)


def _objects(root: BucketPath) -> Iterator[StoredFile]:
    for place, found in root.list_objects():
        yield StoredFile(kind_of(place), place, found["size"], found["last_modified"].timestamp())


def _files(root: Path) -> Iterator[StoredFile]:
    for path in _paths(root):
        try:
            found = path.lstat()
        except FileNotFoundError:
            continue
        place = path.relative_to(root).as_posix()
        yield StoredFile(kind_of(place), place, found.st_size, found.st_mtime)


def _paths(root: Path) -> Iterator[Path]:
    """Yield all files, following symbolic links of top-level folders (to another disk) but none deeper."""
    for top in root.iterdir():
        if not top.is_dir():
            yield top
        for folder, _, names in os.walk(top):
            yield from (Path(folder, name) for name in names)


@dataclass(frozen=True, slots=True)
class Needs:
    """The units that a build needs; `certain` if all of its key records were readable."""

    units: frozenset[str]
    certain: bool


def needs(build: Build, record_of: Callable[[str, str], KeyRecord | None]) -> Needs:
    """Return what a build needs; `record_of` looks up the key records, which alone know its code and memos."""
    records = [record_of(outcome.ref.stage, outcome.key) for outcome in build.outcomes]
    units = {build_place(build), *(ref.place for ref in artifacts_of(build))}
    units.update(f"keys/{ref.stage}/{ref.digest}.json" for ref in build.given)
    for outcome, record in zip(build.outcomes, records, strict=True):
        units.add(f"keys/{outcome.ref.stage}/{outcome.key}.json")
        units.update(record_units(record) if record else ())
    return Needs(frozenset(units), certain=None not in records)


def build_place(build: Build) -> str:
    """Return the path of a build's record relative to the root."""
    return f"builds/{build_file(build.created)}.json"


def key_place(record: KeyRecord) -> str:
    """Return the path of a key record relative to the root."""
    return f"keys/{record.ref.stage}/{record.key}.json"


def record_units(record: KeyRecord) -> Iterator[str]:
    """Yield what a key record references: its artifact, the artifact's inputs, the code, and the models' memos."""
    yield record.ref.place
    yield f"code/{record.parts.get('code')}.json"
    yield from (ref.place for refs in record.inputs.values() for ref in refs)
    models = record.parts.get("models")
    for role, identity in models.items() if isinstance(models, Mapping) else ():
        yield f"memo/{role}/{memo_name(role, identity)}"
        yield f"code/{identity.get('code')}.json"
