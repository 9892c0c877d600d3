"""Fetch the built-in sources into a folder: where they are hosted, what to download, and which file to keep."""

import hashlib
import os
import shutil
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

import httpx
from pydantic import Field

from situatedgen.errors import SettingsError, SourceError, unknown
from situatedgen.fetch.download import PAUSES, Downloaded, Part, Version, client, download, lock_partial, unpack
from situatedgen.params import Params
from situatedgen.progress import Progress, Silent
from situatedgen.resources import read_text

DOWNLOADS = ".downloads"
"""Subfolder of the sources for partial downloads; removed once all of them succeeded."""


class Wanted(Params):
    """A required file: its path below the sources folder, and its pinned sha256."""

    file: str
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    member: str = Field("", description="End of its path in an archive; empty if it is the download itself.")


class Home(Params):
    """An address and the files that come from it."""

    source: str
    address: str
    files: tuple[Wanted, ...]

    @property
    def place(self) -> str:
        """Path below a mirror and in the downloads folder: the source, then the last part of the address."""
        return f"{self.source}/{self.address.rpartition('/')[2]}"

    def at(self, mirror: str) -> "Home":
        """The same files, from a mirror."""
        return self.model_copy(update={"address": f"{mirror.rstrip('/')}/{self.place}"})


def homes(names: Sequence[str] = (), mirror: str | None = None) -> tuple[Home, ...]:
    """The homes of the named sources, in order; of all sources if none is named.

    Raises:
        SettingsError: a source is unknown, or the mirror is not a web address.
    """
    for name in names:
        if name not in table():
            raise unknown("source", name, table())
    chosen = [home for name in dict.fromkeys(names or table()) for home in table()[name]]
    return tuple(home.at(_check_mirror(mirror)) for home in chosen) if mirror else tuple(chosen)


@cache
def table() -> dict[str, tuple[Home, ...]]:
    """All homes, by source, sorted by name."""
    found = tomllib.loads(read_text("homes.toml"))
    return {
        name: tuple(Home.model_validate({"source": name, **home}) for home in entries)
        for name, entries in sorted(found.items())
    }


def _check_mirror(mirror: str) -> str:
    if not mirror.startswith(("http://", "https://")):
        raise SettingsError(f"--mirror is {mirror!r}; expected an address that begins with http:// or https://")
    return mirror


class Status(StrEnum):
    """The result of fetching a file."""

    THERE = "already present"
    FETCHED = "fetched"
    REPLACED = "replaced"
    UNCHANGED = "unchanged"
    OTHER = "not replaced"
    ASIDE = "changed, saved separately"


@dataclass(frozen=True, slots=True)
class Arrival:
    """A file after a fetch: its status, and its sha256 on disk (empty if missing)."""

    file: str
    status: Status
    sha256: str
    problem: str = ""


def sha256(path: Path) -> str:
    """The sha256 of a file; empty if it does not exist."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except FileNotFoundError:
        return ""


def takes_place(there: str, came: str, pinned: str, *, force: bool, accept_changed: bool) -> bool:
    """Whether a downloaded file replaces the existing one (empty: none), by their sha256.

    The pinned file does, unless it would replace a different one that someone may have put there; any other file only
    with `accept_changed`.
    """
    return accept_changed or (came == pinned and (force or there in ("", pinned)))


def place(came: Path, wanted: Wanted, into: Path, *, force: bool, accept_changed: bool) -> Arrival:
    """Put a downloaded file in place, keeping the previous one as `.old`; or next to it, as `.new`."""
    target = into / wanted.file
    there, new = sha256(target), sha256(came)
    if new == there:
        came.unlink()
        return Arrival(wanted.file, Status.UNCHANGED, there)
    target.parent.mkdir(parents=True, exist_ok=True)
    if not takes_place(there, new, wanted.sha256, force=force, accept_changed=accept_changed):
        aside = came.replace(beside(target, "new"))
        return Arrival(wanted.file, Status.ASIDE, there, _describe_change(wanted, new, aside))
    if there:
        shutil.copy2(target, beside(target, "old"))
    _sync(came)
    came.replace(target)
    if sha256(beside(target, "new")) == new:
        beside(target, "new").unlink()
    return Arrival(wanted.file, Status.REPLACED if there else Status.FETCHED, new)


def beside(path: Path, ending: str) -> Path:
    """The path with an additional suffix."""
    return path.with_name(f"{path.name}.{ending}")


def _describe_change(wanted: Wanted, new: str, aside: Path) -> str:
    return (
        f"{wanted.file} has changed on the server: sha256 {new}, expected {wanted.sha256}; it was saved as {aside}."
        " Inspect it; `--accept-changed` accepts it"
    )


def _sync(path: Path) -> None:
    with path.open("rb") as stream:
        os.fsync(stream.fileno())


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a fetch.

    `force` downloads even what exists, and replaces other files by the pinned ones; `accept_changed` accepts files that
    differ from the pinned ones; `refresh` also checks existing files, and downloads those that changed.
    """

    force: bool = False
    accept_changed: bool = False
    refresh: bool = False
    pauses: Sequence[float] = PAUSES


@dataclass(frozen=True, slots=True)
class Fetched:
    """The result of a home: its files, the version reported by the server, and the error if any."""

    home: Home
    arrivals: tuple[Arrival, ...]
    version: Version | None = None
    problem: str = ""

    @property
    def problems(self) -> tuple[str, ...]:
        """All problems, as messages for the user."""
        return tuple(filter(None, (self.problem, *(arrival.problem for arrival in self.arrivals))))


def fetch(
    homes: Sequence[Home],
    into: Path,
    options: Options = Options(),  # noqa: B008 (frozen)
    *,
    progress: Progress = Silent(),  # noqa: B008 (it has no state)
    known: Mapping[str, Version] | None = None,
) -> list[Fetched]:
    """Fetch all homes and return their results; a failure does not affect the others.

    `known` maps addresses to the versions already present, which are not downloaded again.
    """
    versions = known or {}
    with client() as web:
        fetched = [_HomeFetcher(home, into, options, web, progress).run(versions.get(home.address)) for home in homes]
    for folder in (*{(into / DOWNLOADS / home.place).parent for home in homes}, into / DOWNLOADS):
        with suppress(OSError):
            folder.rmdir()
    return fetched


@dataclass(frozen=True)
class _HomeFetcher:
    """Fetches the files of one home."""

    home: Home
    into: Path
    options: Options
    web: httpx.Client
    progress: Progress

    def run(self, known: Version | None) -> Fetched:
        """Fetch the home; errors become part of the result."""
        found: tuple[Arrival, ...] = ()
        try:
            found = tuple(_inspect_file(wanted, self.into, self.options) for wanted in self.home.files)
            missing = any(not arrival.sha256 for arrival in found)
            if not (missing or self.options.force or self.options.refresh):
                return Fetched(self.home, found)
            with lock_partial(self.into / DOWNLOADS / f"{self.home.place}.part") as part:
                return self._download_files(part, None if missing or self.options.force else known)
        except (SourceError, OSError) as error:
            return Fetched(self.home, found, problem=f"{self.home.source}: {_describe_error(error)}")

    def _download_files(self, part: Part, known: Version | None) -> Fetched:
        """Download and place the files; a resumed download that does not match is repeated once from scratch."""
        came = self._download(part, known)
        if came and came.resumed and not self._fits(part):
            part.drop()
            came = self._download(part, None)
        if came is None:
            there = [Arrival(each.file, Status.UNCHANGED, sha256(self.into / each.file)) for each in self.home.files]
            return Fetched(self.home, tuple(there), known)
        return Fetched(self.home, self._place_files(part), came.version)

    def _download(self, part: Part, known: Version | None) -> Downloaded | None:
        return download(
            self.home.address,
            part,
            web=self.web,
            progress=self.progress,
            known=known,
            pauses=self.options.pauses,
        )

    def _fits(self, part: Part) -> bool:
        """Whether every downloaded file equals the pinned or the existing one."""
        try:
            files = _unpack_files(self.home, part)
        except SourceError:
            return False
        return all(
            sha256(files[wanted.file]) in (wanted.sha256, sha256(self.into / wanted.file)) for wanted in self.home.files
        )

    def _place_files(self, part: Part) -> tuple[Arrival, ...]:
        try:
            files = _unpack_files(self.home, part)
        except SourceError:
            part.remove()
            raise
        force, accept_changed = self.options.force, self.options.accept_changed
        arrivals = [
            place(files[wanted.file], wanted, self.into, force=force, accept_changed=accept_changed)
            for wanted in self.home.files
        ]
        part.remove()
        return tuple(arrivals)


def _describe_error(error: SourceError | OSError) -> str:
    if isinstance(error, SourceError):
        return str(error)
    return f"{error.filename or 'a file'}: {error.strerror}; what was received is kept, run the command again to resume"


def _unpack_files(home: Home, part: Part) -> dict[str, Path]:
    """The files of a download by name; a download that is not an archive is its only file."""
    if not home.files[0].member:
        return {home.files[0].file: part.path}
    targets = {wanted.file: part.path.with_name(f"{Path(wanted.file).name}.unpacked") for wanted in home.files}
    try:
        for wanted in home.files:
            unpack(part.path, wanted.member, targets[wanted.file])
    except SourceError:
        for target in targets.values():
            target.unlink(missing_ok=True)
        raise
    return targets


def _inspect_file(wanted: Wanted, into: Path, options: Options) -> Arrival:
    """The state of a file before any download."""
    there = sha256(into / wanted.file)
    if there in ("", wanted.sha256):
        return Arrival(wanted.file, Status.THERE, there)
    problem = (
        f"{wanted.file} exists, but is not the pinned file: sha256 {there}, expected {wanted.sha256}; it was not"
        f" changed. `--force` replaces it with the pinned file and keeps this one as {beside(Path(wanted.file), 'old')}"
    )
    return Arrival(wanted.file, Status.OTHER, there, "" if options.accept_changed else problem)
