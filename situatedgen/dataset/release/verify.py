"""Verifies a release: its files byte by byte, and that its data obeys its own laws."""

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
from situatedgen.settings import validated
from situatedgen.vocabulary import Split


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


STATISTICS = "stats.json"
UNREADABLE = (OSError, ValueError, pl.exceptions.PolarsError, pl.exceptions.PanicException)
SHOWN = 3
Parts = dict[Split, pl.DataFrame]


def law_faults(folder: Path) -> list[Fault]:
    """Every law that the data breaks; what cannot be read is a fault itself."""
    parts: Parts = {}
    faults: list[Fault] = []
    for split in Split:
        name = f"data/{split.value}.parquet"
        try:
            parts[split] = pl.read_parquet(folder / name, use_statistics=False)
        except UNREADABLE as error:
            faults.append(_broken(name, f"it cannot be read: {str(error).splitlines()[0]}"))
    return faults or [fault for law in LAWS for fault in _kept(law, folder, parts)]


def _kept(law: Callable[[Path, Parts], Iterator[Fault]], folder: Path, parts: Parts) -> list[Fault]:
    """What a law finds; data without what it looks at breaks it."""
    try:
        return list(law(folder, parts))
    except (*UNREADABLE, KeyError, TypeError) as error:
        return [_broken("data", f"it is not as a dataset of ours is: {str(error).splitlines()[0]}")]


def _same_rows(folder: Path, parts: Parts) -> Iterator[Fault]:
    """JSON lines and Parquet hold the same rows in the same order."""
    for split, rows in parts.items():
        name = f"data/{split.value}.jsonl"
        lines = (folder / name).read_bytes().splitlines()
        if [json.loads(line) for line in lines] != rows.to_dicts():
            yield _broken(name, f"its {len(lines):,} rows are not the {rows.height:,} of data/{split.value}.parquet")


def _counts(folder: Path, parts: Parts) -> Iterator[Fault]:
    """There are as many rows as the statistics and the manifest say."""
    told = {each["split"]: each["pairs"] for each in _json(folder / STATISTICS)["splits"]}
    found = {split.value: rows.height for split, rows in parts.items()}
    if told != found:
        yield _broken(STATISTICS, f"it tells of {told} pairs, and there are {found}")
    rows = read_manifest(folder)["stages"]["examples"]["rows"]
    if rows != sum(found.values()):
        yield _broken(MANIFEST, f"it tells of {rows:,} examples, and there are {sum(found.values()):,}")


def _shape(_: Path, parts: Parts) -> Iterator[Fault]:
    """An example has an id of its own, two statements with their ids, and a side for each keyword."""
    for split, rows in parts.items():
        name = f"data/{split.value}.parquet"
        two = (pl.col("ids").list.len() == 2) & (pl.col("statements").list.len() == 2)
        sided = pl.col("keywords").list.len() == pl.col("keywords_pos").list.len()
        wrong = rows.filter(~(two & sided).fill_null(value=False))
        if wrong.height:
            yield _broken(name, f"{wrong.height:,} examples lack a statement or the side of a keyword")
    ids = pl.concat([rows["example_id"] for rows in parts.values()])
    repeated = ids.filter(ids.is_duplicated()).unique().sort().to_list()
    if repeated:
        yield _broken("data", f"{len(repeated):,} example ids stand more than once: {_some(repeated)}")


def _apart(_: Path, parts: Parts) -> Iterator[Fault]:
    """No statement stands in two splits, by its id or by its text without case and punctuation."""
    for what, column, fold in (("ids", "ids", str), ("texts", "statements", fold_case)):
        placed = [
            (fold(thing), split.value)
            for split, rows in parts.items()
            for thing in rows[column].explode(empty_as_null=False).unique().sort()
        ]
        offenders = straddlers(placed)
        if offenders:
            yield _broken("data", f"{len(offenders):,} statement {what} stand in two splits: {_some(offenders)}")


LAWS = (_counts, _shape, _same_rows, _apart)


def _json(path: Path) -> Any:  # Any: parsed JSON
    return json.loads(path.read_bytes())


def _broken(name: str, detail: str) -> Fault:
    return Fault(Kind.UNLAWFUL, name, detail)


def _some(things: list[str] | tuple[str, ...]) -> str:
    return ", ".join(things[:SHOWN]) + (" …" if len(things) > SHOWN else "")


BESIDE = ".sha256"


@dataclass(frozen=True, slots=True)
class Verified:
    """What was checked: its name, how many files, the digest that stands for all of them, and what is wrong.

    `foreign` is what `reproduce` would run or load that does not ship with situatedgen.
    """

    name: str
    files: int
    digest: str
    is_release: bool
    faults: tuple[Fault, ...]
    foreign: tuple[str, ...] = ()


def verified(path: Path, expected: str = "") -> Verified:
    """What a check of a folder or an archive finds; `expected` is the digest that was published for it.

    Raises:
        SettingsError: there is nothing of ours at that path.
        StoreError: the archive cannot be unpacked safely.
    """
    if path.is_dir():
        return _with_digest(_folder(path), expected)
    if not path.is_file():
        raise SettingsError(f"there is no release at {path}; expected a folder or an archive ({ENDING})")
    digest = archive.file_digest(path)
    faults = [*_beside(path, digest), *_unexpected(path.name, digest, expected)]
    if faults:
        return Verified(path.name, 1, digest, is_release=True, faults=tuple(faults))
    with opened(path) as folder:
        found = _folder(folder)
    return replace(found, digest=digest)


@contextmanager
def opened(path: Path) -> Iterator[Path]:
    """The folder of a release: itself, or its archive unpacked for as long as it is needed.

    Raises:
        StoreError: the archive cannot be unpacked safely.
    """
    if path.is_dir():
        yield path
        return
    with TemporaryDirectory(prefix="situatedgen-") as folder:
        yield unpack(path, Path(folder))


def _folder(folder: Path) -> Verified:
    found = _released(folder) if (folder / archive.FILE).is_file() else _built(folder)
    return replace(found, foreign=_foreign(folder))


def _foreign(folder: Path) -> tuple[str, ...]:
    """What the settings name that is not built in; nothing where they cannot be read, for then nothing is run."""
    try:
        return foreign_parts(validated(record.read_record(folder).settings))
    except SettingsError:
        return ()


def _released(folder: Path) -> Verified:
    content = (folder / archive.FILE).read_bytes()
    digests = archive.read_sums(content, str(folder / archive.FILE))
    faults = file_faults(folder, digests, _sizes(folder), ours=frozenset({archive.FILE}))
    faults = [*faults, *([] if faults else law_faults(folder))]
    return Verified(folder.resolve().name, len(digests), archive.digest(content), is_release=True, faults=tuple(faults))


def _built(folder: Path) -> Verified:
    """A folder that was built and never released is checked by its manifest; what else lies there is not ours."""
    manifest = read_manifest(folder)
    if not manifest:
        raise SettingsError(
            f"{folder} is no release and no dataset: it has no {archive.FILE} and no {MANIFEST} of ours"
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
    """How long each file was, where the record of the release can tell."""
    try:
        return {name: file.bytes for name, file in record.read_record(folder).files.items()}
    except SettingsError:
        return {}


def _with_digest(found: Verified, expected: str) -> Verified:
    more = tuple(_unexpected(archive.FILE, found.digest, expected))
    return replace(found, faults=(*more, *found.faults))


def _beside(path: Path, digest: str) -> list[Fault]:
    """Whether an archive is the one that the file beside it speaks of."""
    beside = path.with_name(path.name + BESIDE)
    if not beside.is_file():
        return []
    told = archive.read_sums(beside.read_bytes(), str(beside)).get(path.name)
    return [] if told == digest else [Fault(Kind.ALTERED, path.name, f"{beside.name} tells of another archive")]


def _unexpected(name: str, digest: str, expected: str) -> list[Fault]:
    if not expected or expected.lower() == digest:
        return []
    return [Fault(Kind.ALTERED, name, f"its digest is {digest}, not the {expected} that was expected")]
