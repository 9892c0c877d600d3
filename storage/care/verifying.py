"""Verifies a store: every file by its digest, and that whatever is named is there."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from storage.artifacts import KeyRecord
from storage.builds import all_builds
from storage.care.checking import Fault, Finding, artifact_fault, file_fault
from storage.care.collecting import remove
from storage.care.needing import key_place
from storage.care.shelves import Kept, Kind, files
from storage.locks import BUILDS, held, sharing
from storage.outcomes import Build
from storage.releases import artifacts_of, readable
from storage.store import Store

Records = Mapping[str, Sequence[KeyRecord]]
Watch = Callable[[int, int], None]
"""Told how many bytes were checked, of how many."""


def _nobody(done: int, total: int) -> None:
    """Nobody is watching."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that is not as it should be, what is wrong with it, and what goes when it is repaired."""

    place: str
    fault: Fault
    detail: str
    remove: tuple[str, ...]


def verify(store: Store, *, watch: Watch = _nobody) -> list[Problem]:
    """Everything that is wrong with a store, in the order of its files."""
    with sharing(store.root, BUILDS):
        return _problems(store, watch)


def repair(store: Store, *, wait: bool = False, watch: Watch = _nobody) -> list[Problem]:
    """Everything that was wrong with a store; what a build makes again has been removed.

    Raises:
        StoreError: a build is running and we do not wait, or a file cannot be deleted.
    """
    with held(store.root, BUILDS, wait=wait):
        found = _problems(store, watch)
        remove(store, {place for problem in found for place in problem.remove})
    return found


def _problems(store: Store, watch: Watch) -> list[Problem]:
    listed = files(store.root)
    records = _records(store, listed)
    found = [*_broken(store, listed, records, watch), *_missing(store, records)]
    return sorted(found, key=lambda problem: problem.place)


def _broken(store: Store, listed: Sequence[Kept], records: Records, watch: Watch) -> Iterator[Problem]:
    total, done = sum(kept.size for kept in listed), 0
    for kept in listed:
        finding = _finding(store, kept, records)
        if finding is not None:
            yield Problem(kept.place, *finding, remove=_to_remove(kept, records))
        elif kept.kind is Kind.ARTIFACTS:
            yield from _stale(store, records.get(kept.place, ()))
        done += kept.size
        watch(done, total)


def _finding(store: Store, kept: Kept, records: Records) -> Finding | None:
    try:
        if kept.kind is Kind.ARTIFACTS:
            return artifact_fault(store, kept, records.get(kept.place, ()))
        return file_fault(store, kept)
    except FileNotFoundError:
        return None  # a build that runs puts the parts of a memo together
    except OSError as error:
        return Fault.ALTERED, f"it cannot be read: {error}"


def _to_remove(kept: Kept, records: Records) -> tuple[str, ...]:
    """No build makes a release again: it stays for a person to see."""
    if kept.kind is Kind.RELEASES:
        return ()
    return (kept.place, *(key_place(record) for record in records.get(kept.place, ())))


def _stale(store: Store, records: Sequence[KeyRecord]) -> Iterator[Problem]:
    """The key records of a whole artifact that know it by other bytes than it has now."""
    for record in records:
        if len(records) > 1 and not store.is_whole(record):
            place = key_place(record)
            yield Problem(place, Fault.ALTERED, "its artifact was written again since, in other bytes", (place,))


def _missing(store: Store, records: Records) -> Iterator[Problem]:
    """The artifacts that a key record, a build or a release names, and that are not there."""
    named = defaultdict[str, list[str]](list, {place: ["a key record"] for place in records})
    for owner, build in _owners(store):
        for ref in artifacts_of(build):
            named[ref.place].append(owner)
    for place, owners in named.items():
        if not (store.root / place).is_file():
            keys = tuple(key_place(record) for record in records.get(place, ()))
            yield Problem(place, Fault.MISSING, f"named by {', '.join(owners)}", keys)


def _owners(store: Store) -> Iterator[tuple[str, Build]]:
    yield from ((f"build {build.created}", build) for build in all_builds(store))
    yield from ((f"release {release.name}", release.build) for release in readable(store))


def _records(store: Store, listed: Iterable[Kept]) -> Records:
    """The key records that can be read, by the place of the artifact they name."""
    found = defaultdict[str, list[KeyRecord]](list)
    for kept in listed:
        record = store.record(kept.group, kept.name) if kept.kind is Kind.KEYS else None
        if record is not None:
            found[record.ref.place].append(record)
    return found
