"""Verifies a release: a folder or its archive, byte by byte and by the laws of its data."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from situatedgen.errors import SettingsError, StoreError
from situatedgen.release import record, sums
from situatedgen.release.archive import ENDING, unpacked
from situatedgen.release.checking import Fault, Kind, file_faults
from situatedgen.release.laws import law_faults
from situatedgen.release.trust import foreign_parts
from situatedgen.report.folder import MANIFEST, read_manifest
from situatedgen.settings import validated

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
    digest = sums.file_digest(path)
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
        yield unpacked(path, Path(folder))


def _folder(folder: Path) -> Verified:
    found = _released(folder) if (folder / sums.FILE).is_file() else _built(folder)
    return replace(found, foreign=_foreign(folder))


def _foreign(folder: Path) -> tuple[str, ...]:
    """What the settings name that is not built in; nothing where they cannot be read, for then nothing is run."""
    try:
        return foreign_parts(validated(record.read(folder).settings))
    except SettingsError:
        return ()


def _released(folder: Path) -> Verified:
    content = (folder / sums.FILE).read_bytes()
    digests = sums.read(content, str(folder / sums.FILE))
    faults = file_faults(folder, digests, _sizes(folder), ours=frozenset({sums.FILE}))
    faults = [*faults, *([] if faults else law_faults(folder))]
    return Verified(folder.resolve().name, len(digests), sums.digest(content), is_release=True, faults=tuple(faults))


def _built(folder: Path) -> Verified:
    """A folder that was built and never released is checked by its manifest; what else lies there is not ours."""
    manifest = read_manifest(folder)
    if not manifest:
        raise SettingsError(f"{folder} is no release and no dataset: it has no {sums.FILE} and no {MANIFEST} of ours")
    digests = {str(name): str(digest) for name, digest in manifest.get("files", {}).items()}
    outside = [name for name in digests if not sums.is_inside(name)]
    if outside:
        raise StoreError(f"{folder / MANIFEST} names files outside its folder: {outside[0][:100]!r}; build again")
    faults = file_faults(folder, digests, {}, ours=None)
    faults = [*faults, *([] if faults else law_faults(folder))]
    content = str(manifest.get("content", ""))
    return Verified(folder.resolve().name, len(digests), content, is_release=False, faults=tuple(faults))


def _sizes(folder: Path) -> dict[str, int]:
    """How long each file was, where the record of the release can tell."""
    try:
        return {name: file.bytes for name, file in record.read(folder).files.items()}
    except SettingsError:
        return {}


def _with_digest(found: Verified, expected: str) -> Verified:
    more = tuple(_unexpected(sums.FILE, found.digest, expected))
    return replace(found, faults=(*more, *found.faults))


def _beside(path: Path, digest: str) -> list[Fault]:
    """Whether an archive is the one that the file beside it speaks of."""
    beside = path.with_name(path.name + BESIDE)
    if not beside.is_file():
        return []
    told = sums.read(beside.read_bytes(), str(beside)).get(path.name)
    return [] if told == digest else [Fault(Kind.ALTERED, path.name, f"{beside.name} tells of another archive")]


def _unexpected(name: str, digest: str, expected: str) -> list[Fault]:
    if not expected or expected.lower() == digest:
        return []
    return [Fault(Kind.ALTERED, name, f"its digest is {digest}, not the {expected} that was expected")]
