"""Verify a release: the checksum of every file, and the invariants ("laws") of its data."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl

from situatedgen.dataset.folder import MANIFEST, read_manifest
from situatedgen.dataset.release import archive, record
from situatedgen.dataset.release.archive import ENDING, file_digest, unpack
from situatedgen.dataset.release.record import foreign_parts
from situatedgen.errors import SettingsError, StoreError
from situatedgen.rules.splits import fold_case, straddlers
from situatedgen.settings import validate
from situatedgen.vocabulary import Split


class Kind(StrEnum):
    """Kinds of faults in a release."""

    MISSING = "missing"
    EXTRA = "extra"
    ALTERED = "altered"
    TRUNCATED = "truncated"
    RENAMED = "renamed"
    UNSAFE = "unsafe"
    UNLAWFUL = "unlawful"


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault: its kind, the affected file and a description."""

    kind: Kind
    file: str
    detail: str


def file_faults(
    folder: Path, digests: Mapping[str, str], sizes: Mapping[str, int], *, ours: frozenset[str] | None
) -> list[Fault]:
    """Faults of all files that differ from the release; extra files not in `ours` count too, unless it is None."""
    there = dict(_files(folder))
    linked = [name for name, path in there.items() if path.is_symlink() and (name in digests or ours is not None)]
    links = [Fault(Kind.UNSAFE, name, "it is a link, which is not followed") for name in linked]
    found = {name: file_digest(path) for name, path in there.items() if not path.is_symlink()}
    missing = {name for name in digests if name not in there}
    extra = {name for name in found if name not in digests and ours is not None and name not in ours}
    renamed = _find_renamed(missing, extra, digests, found)
    return sorted(
        [
            *links,
            *(Fault(Kind.RENAMED, old, f"it was renamed to {new}") for old, new in renamed.items()),
            *(Fault(Kind.MISSING, name, "it does not exist") for name in missing - renamed.keys()),
            *(Fault(Kind.EXTRA, name, "it is not part of the release") for name in extra - {*renamed.values()}),
            *(
                _damage_fault(folder / name, name, sizes.get(name))
                for name in digests
                if found.get(name, digests[name]) != digests[name]
            ),
        ],
        key=lambda fault: (fault.file, fault.kind),
    )


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield everything in a folder, recursively, that is not itself a folder; links are not followed."""
    for root, folders, names in os.walk(folder):
        for name in (*names, *(each for each in folders if (Path(root) / each).is_symlink())):
            path = Path(root) / name
            yield path.relative_to(folder).as_posix(), path


def _find_renamed(
    missing: set[str], extra: set[str], digests: Mapping[str, str], found: Mapping[str, str]
) -> dict[str, str]:
    """Map missing files to extra files with the same content."""
    places: dict[str, list[str]] = {}
    for name in sorted(extra):
        places.setdefault(found[name], []).append(name)
    return {name: places[digests[name]].pop(0) for name in sorted(missing) if places.get(digests[name])}


def _damage_fault(path: Path, name: str, size: int | None) -> Fault:
    left = path.stat().st_size
    if size is not None and left < size:
        return Fault(Kind.TRUNCATED, name, f"only {left:,} of {size:,} bytes are present")
    return Fault(Kind.ALTERED, name, "its content differs from the release")


STATISTICS = "stats.json"
UNREADABLE = (OSError, ValueError, pl.exceptions.PolarsError, pl.exceptions.PanicException)
SHOWN = 3
Parts = dict[Split, pl.DataFrame]


def law_faults(folder: Path) -> list[Fault]:
    """Faults for every violated law; unreadable data is a fault, too."""
    parts: Parts = {}
    faults: list[Fault] = []
    for split in Split:
        name = f"data/{split.value}.parquet"
        try:
            parts[split] = pl.read_parquet(folder / name, use_statistics=False)
        except UNREADABLE as error:
            faults.append(_law_fault(name, f"it cannot be read: {str(error).splitlines()[0]}"))
    return faults or [fault for law in LAWS for fault in _apply_law(law, folder, parts)]


def _apply_law(law: Callable[[Path, Parts], Iterator[Fault]], folder: Path, parts: Parts) -> list[Fault]:
    """Faults that a law finds; data that lacks what the law checks violates it."""
    try:
        return list(law(folder, parts))
    except (*UNREADABLE, KeyError, TypeError) as error:
        return [
            _law_fault("data", f"it does not have the format of a situatedgen dataset: {str(error).splitlines()[0]}")
        ]


def _same_rows(folder: Path, parts: Parts) -> Iterator[Fault]:
    """Law: JSON lines and Parquet contain the same rows in the same order."""
    for split, rows in parts.items():
        name = f"data/{split.value}.jsonl"
        lines = (folder / name).read_bytes().splitlines()
        if [json.loads(line) for line in lines] != rows.to_dicts():
            yield _law_fault(
                name, f"its {len(lines):,} rows differ from the {rows.height:,} of data/{split.value}.parquet"
            )


def _counts(folder: Path, parts: Parts) -> Iterator[Fault]:
    """Law: the number of rows matches the statistics and the manifest."""
    listed = {each["split"]: each["pairs"] for each in _json(folder / STATISTICS)["splits"]}
    found = {split.value: rows.height for split, rows in parts.items()}
    if listed != found:
        yield _law_fault(STATISTICS, f"it lists {listed} pairs, but there are {found}")
    rows = read_manifest(folder)["stages"]["examples"]["rows"]
    if rows != sum(found.values()):
        yield _law_fault(MANIFEST, f"it lists {rows:,} examples, but there are {sum(found.values()):,}")


def _shape(_: Path, parts: Parts) -> Iterator[Fault]:
    """Law: each example has a unique id, two statements with ids, and a side for each keyword."""
    for split, rows in parts.items():
        name = f"data/{split.value}.parquet"
        two = (pl.col("ids").list.len() == 2) & (pl.col("statements").list.len() == 2)
        sided = pl.col("keywords").list.len() == pl.col("keywords_pos").list.len()
        wrong = rows.filter(~(two & sided).fill_null(value=False))
        if wrong.height:
            yield _law_fault(name, f"{wrong.height:,} examples lack a statement or the side of a keyword")
    ids = pl.concat([rows["example_id"] for rows in parts.values()])
    repeated = ids.filter(ids.is_duplicated()).unique().sort().to_list()
    if repeated:
        yield _law_fault("data", f"{len(repeated):,} example ids occur more than once: {_list_some(repeated)}")


def _disjoint_splits(_: Path, parts: Parts) -> Iterator[Fault]:
    """Law: no statement occurs in two splits, compared by id and by text without case and punctuation."""
    for what, column, fold in (("ids", "ids", str), ("texts", "statements", fold_case)):
        placed = [
            (fold(thing), split.value)
            for split, rows in parts.items()
            for thing in rows[column].explode(empty_as_null=False).unique().sort()
        ]
        offenders = straddlers(placed)
        if offenders:
            yield _law_fault(
                "data", f"{len(offenders):,} statement {what} occur in two splits: {_list_some(offenders)}"
            )


LAWS = (_counts, _shape, _same_rows, _disjoint_splits)


def _json(path: Path) -> Any:  # Any: parsed JSON
    return json.loads(path.read_bytes())


def _law_fault(name: str, detail: str) -> Fault:
    return Fault(Kind.UNLAWFUL, name, detail)


def _list_some(things: list[str] | tuple[str, ...]) -> str:
    return ", ".join(things[:SHOWN]) + (" …" if len(things) > SHOWN else "")


CHECKSUM_SUFFIX = ".sha256"


@dataclass(frozen=True, slots=True)
class Verified:
    """Result of a verification: name, number of files, the digest that covers all of them, and the faults.

    `foreign` lists what `reproduce` would run or load that does not ship with situatedgen.
    """

    name: str
    files: int
    digest: str
    is_release: bool
    faults: tuple[Fault, ...]
    foreign: tuple[str, ...] = ()


def verify(path: Path, expected: str = "") -> Verified:
    """Verify a folder or an archive; `expected` is its published digest.

    Raises:
        SettingsError: there is no release or situatedgen dataset at that path.
        StoreError: the archive cannot be unpacked safely.
    """
    if path.is_dir():
        return _check_digest(_verify_folder(path), expected)
    if not path.is_file():
        raise SettingsError(f"there is no release at {path}; expected a folder or an archive ({ENDING})")
    digest = archive.file_digest(path)
    faults = [*_checksum_faults(path, digest), *_digest_faults(path.name, digest, expected)]
    if faults:
        return Verified(path.name, 1, digest, is_release=True, faults=tuple(faults))
    with open_release(path) as folder:
        found = _verify_folder(folder)
    return replace(found, digest=digest)


@contextmanager
def open_release(path: Path) -> Iterator[Path]:
    """Yield the folder of a release; an archive is unpacked into a temporary folder.

    Raises:
        StoreError: the archive cannot be unpacked safely.
    """
    if path.is_dir():
        yield path
        return
    with TemporaryDirectory(prefix="situatedgen-") as folder:
        yield unpack(path, Path(folder))


def _verify_folder(folder: Path) -> Verified:
    found = _verify_release(folder) if (folder / archive.FILE).is_file() else _verify_build(folder)
    return replace(found, foreign=_find_foreign_parts(folder))


def _find_foreign_parts(folder: Path) -> tuple[str, ...]:
    """Parts of the settings that are not built in; empty if they cannot be read, since then nothing can run."""
    try:
        return foreign_parts(validate(record.read_record(folder).settings))
    except SettingsError:
        return ()


def _verify_release(folder: Path) -> Verified:
    content = (folder / archive.FILE).read_bytes()
    digests = archive.read_sums(content, str(folder / archive.FILE))
    faults = file_faults(folder, digests, _sizes(folder), ours=frozenset({archive.FILE}))
    faults = [*faults, *([] if faults else law_faults(folder))]
    return Verified(folder.resolve().name, len(digests), archive.digest(content), is_release=True, faults=tuple(faults))


def _verify_build(folder: Path) -> Verified:
    """Verify an unreleased folder against its manifest; files not listed there are ignored."""
    manifest = read_manifest(folder)
    if not manifest:
        raise SettingsError(
            f"{folder} is neither a release nor a situatedgen dataset (no {archive.FILE}, no {MANIFEST})"
        )
    digests = {str(name): str(digest) for name, digest in manifest.get("files", {}).items()}
    outside = [name for name in digests if not archive.is_inside(name)]
    if outside:
        raise StoreError(f"{folder / MANIFEST} names files outside its folder: {outside[0][:100]!r}; build again")
    faults = file_faults(folder, digests, {}, ours=None)
    faults = [*faults, *([] if faults else law_faults(folder))]
    content = str(manifest.get("content", ""))
    return Verified(folder.resolve().name, len(digests), content, is_release=False, faults=tuple(faults))


def _sizes(folder: Path) -> dict[str, int]:
    """Original size of each file; empty if the record of the release cannot be read."""
    try:
        return {name: file.bytes for name, file in record.read_record(folder).files.items()}
    except SettingsError:
        return {}


def _check_digest(found: Verified, expected: str) -> Verified:
    more = tuple(_digest_faults(archive.FILE, found.digest, expected))
    return replace(found, faults=(*more, *found.faults))


def _checksum_faults(path: Path, digest: str) -> list[Fault]:
    """A fault if the archive does not match the checksum file next to it."""
    checksums = path.with_name(path.name + CHECKSUM_SUFFIX)
    if not checksums.is_file():
        return []
    listed = archive.read_sums(checksums.read_bytes(), str(checksums)).get(path.name)
    return (
        []
        if listed == digest
        else [Fault(Kind.ALTERED, path.name, f"its checksum differs from that in {checksums.name}")]
    )


def _digest_faults(name: str, digest: str, expected: str) -> list[Fault]:
    if not expected or expected.lower() == digest:
        return []
    return [Fault(Kind.ALTERED, name, f"its digest is {digest}, expected {expected}")]
