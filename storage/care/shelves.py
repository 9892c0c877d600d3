"""Every file of a store with its kind, told by where it lies."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from storage.filesystem import BucketPath, StorePath


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
class Kept:
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


def files(root: StorePath) -> list[Kept]:
    """The files of a store, in the order of their places."""
    found = _files(root) if isinstance(root, Path) else _objects(root)
    return sorted(found, key=lambda kept: kept.place)


def _objects(root: BucketPath) -> Iterator[Kept]:
    for place, found in root.list_objects():
        yield Kept(kind_of(place), place, found["size"], found["last_modified"].timestamp())


def _files(root: Path) -> Iterator[Kept]:
    for path in _paths(root):
        try:
            found = path.lstat()
        except FileNotFoundError:
            continue
        place = path.relative_to(root).as_posix()
        yield Kept(kind_of(place), place, found.st_size, found.st_mtime)


def _paths(root: Path) -> Iterator[Path]:
    """Also through a folder right below the store's own that is a link to another disk, but no deeper."""
    for top in root.iterdir():
        if not top.is_dir():
            yield top
        for folder, _, names in os.walk(top):
            yield from (Path(folder, name) for name in names)
