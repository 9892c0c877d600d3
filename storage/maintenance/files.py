"""Every file of a store with its kind, and what a build needs of them."""

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
    """What a file of a store is, in an order in which files can be deleted: nothing before what points at it."""

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
    """A file of a store: its kind, its place below the store's folder, its size, and when it was written."""

    kind: Kind
    place: str
    size: int
    modified: float

    @property
    def unit(self) -> str:
        """What is kept or dropped as one: the file, or the whole memo of a model."""
        return self.place.rpartition("/")[0] if self.kind is Kind.MEMO else self.place

    @property
    def group(self) -> str:
        """The folder below the kind's own: the stage of an artifact, the role of a memo."""
        return self.place.split("/")[1] if "/" in self.place else ""

    @property
    def name(self) -> str:
        """The file's name without its ending: a digest, a key, the time of a build."""
        return Path(self.place).stem


def kind_of(place: str) -> Kind:
    """What a file is, by its place below the store's folder; a file that no build would write there is unknown."""
    return next((kind for kind, pattern in PLACES if pattern.fullmatch(place)), Kind.UNKNOWN)


def list_files(root: StorePath) -> list[StoredFile]:
    """The files of a store, in the order of their places."""
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
    """Also through a folder right below the store's own that is a link to another disk, but no deeper."""
    for top in root.iterdir():
        if not top.is_dir():
            yield top
        for folder, _, names in os.walk(top):
            yield from (Path(folder, name) for name in names)


@dataclass(frozen=True, slots=True)
class Needs:
    """The units that a build needs; `certain` when all of its key records could be read."""

    units: frozenset[str]
    certain: bool


def needs(build: Build, record_of: Callable[[str, str], KeyRecord | None]) -> Needs:
    """What a build needs. Which code and memos, only its key records know: `record_of` a stage and a key."""
    records = [record_of(outcome.ref.stage, outcome.key) for outcome in build.outcomes]
    units = {build_place(build), *(ref.place for ref in artifacts_of(build))}
    units.update(f"keys/{ref.stage}/{ref.digest}.json" for ref in build.given)
    for outcome, record in zip(build.outcomes, records, strict=True):
        units.add(f"keys/{outcome.ref.stage}/{outcome.key}.json")
        units.update(record_units(record) if record else ())
    return Needs(frozenset(units), certain=None not in records)


def build_place(build: Build) -> str:
    """Where the record of a build lies below the store's folder."""
    return f"builds/{build_file(build.created)}.json"


def key_place(record: KeyRecord) -> str:
    """Where a key record lies below the store's folder."""
    return f"keys/{record.ref.stage}/{record.key}.json"


def record_units(record: KeyRecord) -> Iterator[str]:
    """What a key record names: its artifact, that artifact's inputs, the code, and the memos of its models."""
    yield record.ref.place
    yield f"code/{record.parts.get('code')}.json"
    yield from (ref.place for refs in record.inputs.values() for ref in refs)
    models = record.parts.get("models")
    for role, identity in models.items() if isinstance(models, Mapping) else ():
        yield f"memo/{role}/{memo_name(role, identity)}"
        yield f"code/{identity.get('code')}.json"
