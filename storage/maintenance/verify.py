"""Verifies a store: every file against its digest, and that every referenced artifact exists."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from io import BytesIO

import polars as pl
from pydantic import ValidationError

from storage.builds import Build, all_builds, build_file
from storage.filesystem import Readable, StorePath, readable
from storage.locks import BUILDS, lock, shared_lock
from storage.maintenance.files import Kind, StoredFile, key_place, list_files
from storage.maintenance.gc import remove
from storage.memo import memo_name
from storage.releases import Release, artifacts_of, readable_releases
from storage.store import UNREADABLE, KeyRecord, Store, file_digest, table_digest

Content = dict[str, object]


class Fault(StrEnum):
    """What can be wrong with a file of a store."""

    MISSING = "missing"
    TRUNCATED = "truncated"
    ALTERED = "altered"


Finding = tuple[Fault, str]


def file_fault(store: Store, kept: StoredFile) -> Finding | None:
    """Return the fault of a file other than an artifact, or None if it is intact or has no digest."""
    if kept.kind is Kind.RESULTS:
        return result_fault(store, kept)
    if kept.kind is Kind.MEMO and kept.name != "identity":
        return part_fault(store, kept)
    return record_fault(store, kept) if kept.kind in NAMED else None


def record_fault(store: Store, kept: StoredFile) -> Finding | None:
    """Return the fault of a JSON file written by the store: wrong digest, schema or name."""
    path = store.root / kept.place
    value = store.read_json(path)
    if value is None:
        return _truncation(path, b"}") or (Fault.ALTERED, "its content does not match its digest")
    try:
        fits = NAMED[kept.kind](value, kept)
    except (ValidationError, KeyError, TypeError) as error:
        return Fault.ALTERED, f"its content is invalid: {str(error).splitlines()[0]}"
    return None if fits else (Fault.ALTERED, "its content does not match its name")


def result_fault(store: Store, kept: StoredFile) -> Finding | None:
    """Return the fault of a Prefect result file, which contains JSON but no digest."""
    path = store.root / kept.place
    try:
        json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        return _truncation(path, b"}") or (Fault.ALTERED, f"it cannot be read: {error}")
    return None


def part_fault(store: Store, kept: StoredFile) -> Finding | None:
    """Return the fault of a memo part, which is named by the digest of its bytes."""
    content = readable(store.root / kept.place)
    return None if file_digest(content) == kept.name else _parquet_fault(content)


def artifact_fault(store: Store, kept: StoredFile, records: Sequence[KeyRecord]) -> Finding | None:
    """Return the fault of an artifact: its bytes match none of its key records, or its rows not its name."""
    content = readable(store.root / kept.place)
    if records and file_digest(content) not in {record.file_digest for record in records}:
        return _parquet_fault(content)
    try:
        digest = table_digest(pl.read_parquet(content, use_statistics=False))
    except UNREADABLE:
        return _parquet_fault(content)
    return None if digest == kept.name else (Fault.ALTERED, "its rows do not match its name")


def _names_record(value: Content, kept: StoredFile) -> bool:
    record = KeyRecord.model_validate(value)
    return (record.ref.stage, record.key) == (kept.group, kept.name)


def _names_memo(value: Content, kept: StoredFile) -> bool:
    role = str(value.pop("role"))
    return kept.unit == f"memo/{role}/{memo_name(role, value)}"


NAMED: dict[Kind, Callable[[Content, StoredFile], bool]] = {
    Kind.BUILDS: lambda value, kept: build_file(Build.model_validate(value).created) == kept.name,
    Kind.RELEASES: lambda value, kept: Release.model_validate(value).name == kept.name,
    Kind.KEYS: _names_record,
    Kind.CODE: lambda value, _: isinstance(value["symbols"], dict),
    Kind.MEMO: _names_memo,
    Kind.SEEN: lambda value, kept: "versions" in value or value["source"] == kept.name,
}
"""Checks that the content of a JSON file matches its name."""


def _parquet_fault(file: Readable) -> Finding:
    return _truncation(file, b"PAR1") or (Fault.ALTERED, "its bytes do not match its checksum")


def _truncation(file: StorePath | BytesIO, ending: bytes) -> Finding | None:
    """Return a truncation fault if a file lacks the ending that all its kind have."""
    content = file.getvalue() if isinstance(file, BytesIO) else file.read_bytes()
    return None if content.endswith(ending) else (Fault.TRUNCATED, f"it ends after {len(content):,} bytes")


Records = Mapping[str, Sequence[KeyRecord]]
Watch = Callable[[int, int], None]
"""Progress callback: bytes checked so far, and in total."""


def _no_progress(done: int, total: int) -> None:
    """Ignore progress."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A damaged or missing file, its fault, and what a repair deletes."""

    place: str
    fault: Fault
    detail: str
    remove: tuple[str, ...]


def verify(store: Store, *, watch: Watch = _no_progress) -> list[Problem]:
    """Return everything that is wrong with a store, sorted by path."""
    with shared_lock(store.root, BUILDS):
        return _problems(store, watch)


def repair(store: Store, *, wait: bool = False, watch: Watch = _no_progress) -> list[Problem]:
    """Delete the damaged files that a build can recreate, and return everything that was wrong.

    Raises:
        StoreError: a build is running and `wait` is false, or a file cannot be deleted.
    """
    with lock(store.root, BUILDS, wait=wait):
        found = _problems(store, watch)
        remove(store, {place for problem in found for place in problem.remove})
    return found


def _problems(store: Store, watch: Watch) -> list[Problem]:
    listed = list_files(store.root)
    records = _records(store, listed)
    found = [*_find_broken(store, listed, records, watch), *_find_missing(store, records)]
    return sorted(found, key=lambda problem: problem.place)


def _find_broken(store: Store, listed: Sequence[StoredFile], records: Records, watch: Watch) -> Iterator[Problem]:
    total, done = sum(kept.size for kept in listed), 0
    for kept in listed:
        finding = _finding(store, kept, records)
        if finding is not None:
            yield Problem(kept.place, *finding, remove=_to_remove(kept, records))
        elif kept.kind is Kind.ARTIFACTS:
            yield from _find_stale(store, records.get(kept.place, ()))
        done += kept.size
        watch(done, total)


def _finding(store: Store, kept: StoredFile, records: Records) -> Finding | None:
    try:
        if kept.kind is Kind.ARTIFACTS:
            return artifact_fault(store, kept, records.get(kept.place, ()))
        return file_fault(store, kept)
    except FileNotFoundError:
        return None  # a running build has merged the parts of a memo
    except OSError as error:
        return Fault.ALTERED, f"it cannot be read: {error}"


def _to_remove(kept: StoredFile, records: Records) -> tuple[str, ...]:
    """Return what a repair deletes; a release stays for inspection, because no build can recreate it."""
    if kept.kind is Kind.RELEASES:
        return ()
    return (kept.place, *(key_place(record) for record in records.get(kept.place, ())))


def _find_stale(store: Store, records: Sequence[KeyRecord]) -> Iterator[Problem]:
    """Yield the key records of an intact artifact that have an outdated file digest."""
    for record in records:
        if len(records) > 1 and not store.is_intact(record):
            place = key_place(record)
            yield Problem(place, Fault.ALTERED, "its artifact was rewritten since, with different bytes", (place,))


def _find_missing(store: Store, records: Records) -> Iterator[Problem]:
    """Yield the missing artifacts that a key record, a build or a release references."""
    named = defaultdict[str, list[str]](list, {place: ["a key record"] for place in records})
    for owner, build in _owners(store):
        for ref in artifacts_of(build):
            named[ref.place].append(owner)
    for place, owners in named.items():
        if not (store.root / place).is_file():
            keys = tuple(key_place(record) for record in records.get(place, ()))
            yield Problem(place, Fault.MISSING, f"needed by {', '.join(owners)}", keys)


def _owners(store: Store) -> Iterator[tuple[str, Build]]:
    yield from ((f"build {build.created}", build) for build in all_builds(store))
    yield from ((f"release {release.name}", release.build) for release in readable_releases(store))


def _records(store: Store, listed: Iterable[StoredFile]) -> Records:
    """Return the readable key records, by the path of their artifact."""
    found = defaultdict[str, list[KeyRecord]](list)
    for kept in listed:
        record = store.record(kept.group, kept.name) if kept.kind is Kind.KEYS else None
        if record is not None:
            found[record.ref.place].append(record)
    return found
