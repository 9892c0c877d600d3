"""Whether the files of a folder are those that were released, byte by byte."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from situatedgen.release.sums import file_digest


class Kind(StrEnum):
    """What can be wrong with a release."""

    MISSING = "missing"
    EXTRA = "extra"
    ALTERED = "altered"
    TRUNCATED = "truncated"
    RENAMED = "renamed"
    UNSAFE = "unsafe"
    UNLAWFUL = "unlawful"


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong, with which file, and how one can tell."""

    kind: Kind
    file: str
    detail: str


def file_faults(
    folder: Path, digests: Mapping[str, str], sizes: Mapping[str, int], *, ours: frozenset[str] | None
) -> list[Fault]:
    """Every file that is not as it was released; others than `ours` are faults too, unless all are welcome (None)."""
    there = dict(_files(folder))
    linked = [name for name, path in there.items() if path.is_symlink() and (name in digests or ours is not None)]
    links = [Fault(Kind.UNSAFE, name, "it is a link, and not followed") for name in linked]
    found = {name: file_digest(path) for name, path in there.items() if not path.is_symlink()}
    missing = {name for name in digests if name not in there}
    extra = {name for name in found if name not in digests and ours is not None and name not in ours}
    renamed = _renamed(missing, extra, digests, found)
    return sorted(
        [
            *links,
            *(Fault(Kind.RENAMED, old, f"its bytes lie in {new}") for old, new in renamed.items()),
            *(Fault(Kind.MISSING, name, "it is not there") for name in missing - renamed.keys()),
            *(Fault(Kind.EXTRA, name, "it was not released") for name in extra - {*renamed.values()}),
            *(
                _harm(folder / name, name, sizes.get(name))
                for name in digests
                if found.get(name, digests[name]) != digests[name]
            ),
        ],
        key=lambda fault: (fault.file, fault.kind),
    )


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Everything in a folder that is no folder; links are not followed."""
    for root, folders, names in os.walk(folder):
        for name in (*names, *(each for each in folders if (Path(root) / each).is_symlink())):
            path = Path(root) / name
            yield path.relative_to(folder).as_posix(), path


def _renamed(
    missing: set[str], extra: set[str], digests: Mapping[str, str], found: Mapping[str, str]
) -> dict[str, str]:
    """Files that are gone whose very bytes lie in a file that is too many."""
    places: dict[str, list[str]] = {}
    for name in sorted(extra):
        places.setdefault(found[name], []).append(name)
    return {name: places[digests[name]].pop(0) for name in sorted(missing) if places.get(digests[name])}


def _harm(path: Path, name: str, size: int | None) -> Fault:
    left = path.stat().st_size
    if size is not None and left < size:
        return Fault(Kind.TRUNCATED, name, f"{left:,} of {size:,} bytes are left")
    return Fault(Kind.ALTERED, name, "its bytes are not those that were released")
