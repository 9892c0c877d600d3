"""Garbage collection: deletes what no kept build needs, in an order that is safe to interrupt."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from pathlib import Path

from situatedgen.errors import StoreError
from storage.builds import Build, all_builds
from storage.locks import BUILDS, lock
from storage.maintenance.files import Kind, Needs, StoredFile, build_place, kind_of, list_files, needs, record_units
from storage.releases import releases
from storage.store import Store

ORDER = {kind: position for position, kind in enumerate(Kind)}
NEVER = frozenset({Kind.RELEASES, Kind.LOCKS, Kind.SEEN, Kind.UNKNOWN})
"""The kinds that are never deleted."""
KNOWN_BY_RECORDS = frozenset({Kind.CODE, Kind.MEMO})
YOUNG_SECONDS = 24 * 60 * 60
"""Objects in a bucket are not deleted before this age."""


@dataclass(frozen=True, slots=True)
class Collection:
    """The plan of a garbage collection: builds kept and dropped, files to delete, and unknown files."""

    kept: tuple[str, ...]
    dropped: tuple[str, ...]
    files: tuple[StoredFile, ...]
    unknown: tuple[StoredFile, ...]
    certain: bool

    @property
    def size(self) -> int:
        """How many bytes are freed."""
        return sum(kept.size for kept in self.files)


def plan_collection(store: Store, *, keep: int) -> Collection:
    """Plan a garbage collection that keeps the newest `keep` builds and those pinned by a release.

    In a bucket, builds of the last day and everything else written since then are kept, too.

    Raises:
        StoreError: a release cannot be read.
    """
    listed = list_files(store.root)
    found, pinned = all_builds(store), [release.build for release in releases(store).values()]
    recent = frozenset[str]() if isinstance(store.root, Path) else _find_recent(store, listed)
    young = [build for build in found if build_place(build) in recent]
    staying = {build.created: build for build in [*pinned, *young, *found[max(len(found) - keep, 0) :]]}
    wanted = [needs(build, store.record) for build in staying.values()]
    return Collection(
        kept=tuple(sorted(staying)),
        dropped=tuple(build.created for build in found if build.created not in staying),
        files=tuple(_find_unneeded(listed, wanted, protected=recent | _find_unfinished(listed, found))),
        unknown=tuple(kept for kept in listed if kept.kind is Kind.UNKNOWN),
        certain=all(each.certain for each in wanted),
    )


def collect(store: Store, *, keep: int, wait: bool = False) -> Collection:
    """Delete what no kept build needs, and return what was deleted; on a disk never while a build runs.

    Raises:
        StoreError: a build is running and `wait` is false, a release is unreadable, or a file cannot be deleted.
    """
    with lock(store.root, BUILDS, wait=wait):
        collection = plan_collection(store, keep=keep)
        remove(store, (kept.place for kept in collection.files))
    return collection


def remove(store: Store, places: Iterable[str]) -> None:
    """Delete files, none before those that reference it, and the memo folders left empty.

    Raises:
        StoreError: a file cannot be deleted.
    """
    try:
        for place in sorted(places, key=_deletion_order):
            path = store.root / place
            path.unlink(missing_ok=True)
            if isinstance(path, Path) and kind_of(place) is Kind.MEMO and not any(path.parent.iterdir()):
                path.parent.rmdir()
    except OSError as error:
        raise StoreError(f"cannot delete files of store {store.root}: {error}") from error


def _find_unfinished(listed: Iterable[StoredFile], builds: Sequence[Build]) -> frozenset[str]:
    """Return memos that grew after the last finished build: an interrupted build may have spent hours on them."""
    finished = max((datetime.fromisoformat(build.created).timestamp() for build in builds), default=0.0)
    return frozenset(kept.unit for kept in listed if kept.kind is Kind.MEMO and kept.modified > finished)


def _find_recent(store: Store, listed: Iterable[StoredFile]) -> frozenset[str]:
    """Return recent units and those that recent key records reference: buckets have no locks to protect them."""
    since = time.time() - YOUNG_SECONDS
    young = [kept for kept in listed if kept.modified > since]
    records = [store.record(kept.group, kept.name) for kept in young if kept.kind is Kind.KEYS]
    named = (unit for record in records if record for unit in record_units(record))
    return frozenset(chain((kept.unit for kept in young), named))


def _find_unneeded(
    listed: Iterable[StoredFile], wanted: Sequence[Needs], protected: frozenset[str]
) -> list[StoredFile]:
    """Return the deletable files; if a key record is lost, all code and memos stay, because it may name any."""
    needed = protected.union(*(each.units for each in wanted))
    never = NEVER if all(each.certain for each in wanted) else NEVER | KNOWN_BY_RECORDS
    return [kept for kept in listed if kept.kind not in never and kept.unit not in needed]


def _deletion_order(place: str) -> tuple[int, bool, str]:
    """Sort key: builds first, then keys, then what they reference; a memo's `identity.json` after its parts."""
    return ORDER[kind_of(place)], place.endswith("/identity.json"), place
