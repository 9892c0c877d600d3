"""What `fetch` does with each home: look at what is there, download what is needed, put it in its place."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import httpx

from situatedgen.errors import SourceError
from situatedgen.fetching.download import PAUSES, Downloaded, client, download
from situatedgen.fetching.homes import Home, Wanted
from situatedgen.fetching.listening import Listener, Nobody
from situatedgen.fetching.part import Part, Version, held
from situatedgen.fetching.placing import Arrival, Status, beside, place, sha256
from situatedgen.fetching.unpacking import unpack

DOWNLOADS = ".downloads"
"""The folder below the sources where downloads grow; empty once all of them ended well."""


@dataclass(frozen=True, slots=True)
class Options:
    """How a fetch goes about it.

    `force` downloads what is there already, and puts the pinned file over another; `accept_changed` takes
    files that are not the pinned ones; `refresh` asks for what is there too, and downloads what changed.
    """

    force: bool = False
    accept_changed: bool = False
    refresh: bool = False
    pauses: Sequence[float] = PAUSES


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came of a home: its files, the version that its server named, and what went wrong."""

    home: Home
    arrivals: tuple[Arrival, ...]
    version: Version | None = None
    problem: str = ""

    @property
    def problems(self) -> tuple[str, ...]:
        """All that went wrong, for a person."""
        return tuple(filter(None, (self.problem, *(arrival.problem for arrival in self.arrivals))))


def fetch(
    homes: Sequence[Home],
    into: Path,
    options: Options = Options(),  # noqa: B008 (frozen)
    *,
    listener: Listener = Nobody(),  # noqa: B008 (it has no state)
    known: Mapping[str, Version] | None = None,
) -> list[Fetched]:
    """What came of each home; one that fails does not keep the others from being fetched.

    `known` are the versions that were there before, by address: they are not downloaded again.
    """
    versions = known or {}
    with client() as web:
        fetched = [_Errand(home, into, options, web, listener).run(versions.get(home.address)) for home in homes]
    for folder in (*{(into / DOWNLOADS / home.place).parent for home in homes}, into / DOWNLOADS):
        with suppress(OSError):
            folder.rmdir()
    return fetched


@dataclass(frozen=True)
class _Errand:
    """The way to one home and back."""

    home: Home
    into: Path
    options: Options
    web: httpx.Client
    listener: Listener

    def run(self, known: Version | None) -> Fetched:
        """What came of the home, be it trouble."""
        found: tuple[Arrival, ...] = ()
        try:
            found = tuple(_found(wanted, self.into, self.options) for wanted in self.home.files)
            missing = any(not arrival.sha256 for arrival in found)
            if not (missing or self.options.force or self.options.refresh):
                return Fetched(self.home, found)
            with held(self.into / DOWNLOADS / f"{self.home.place}.part") as part:
                return self._bring(part, None if missing or self.options.force else known)
        except (SourceError, OSError) as error:
            return Fetched(self.home, found, problem=f"{self.home.source}: {_words(error)}")

    def _bring(self, part: Part, known: Version | None) -> Fetched:
        """Download, and place the files; what came in pieces and does not fit is downloaded whole, once."""
        came = self._download(part, known)
        if came and came.resumed and not self._fits(part):
            part.drop()
            came = self._download(part, None)
        if came is None:
            there = [Arrival(each.file, Status.UNCHANGED, sha256(self.into / each.file)) for each in self.home.files]
            return Fetched(self.home, tuple(there), known)
        return Fetched(self.home, self._placed(part), came.version)

    def _download(self, part: Part, known: Version | None) -> Downloaded | None:
        return download(
            self.home.address,
            part,
            web=self.web,
            listener=self.listener,
            known=known,
            pauses=self.options.pauses,
        )

    def _fits(self, part: Part) -> bool:
        """Whether every file of a download is the pinned one, or the one that is there."""
        try:
            files = _unpacked(self.home, part)
        except SourceError:
            return False
        return all(
            sha256(files[wanted.file]) in (wanted.sha256, sha256(self.into / wanted.file)) for wanted in self.home.files
        )

    def _placed(self, part: Part) -> tuple[Arrival, ...]:
        try:
            files = _unpacked(self.home, part)
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


def _words(error: SourceError | OSError) -> str:
    if isinstance(error, SourceError):
        return str(error)
    return f"{error.filename or 'a file'}: {error.strerror}; what came is kept, run the command again to go on"


def _unpacked(home: Home, part: Part) -> dict[str, Path]:
    """The files of a download, by their names; a download that is no archive is its one file."""
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


def _found(wanted: Wanted, into: Path, options: Options) -> Arrival:
    """A file as it is before anything is downloaded."""
    there = sha256(into / wanted.file)
    if there in ("", wanted.sha256):
        return Arrival(wanted.file, Status.THERE, there)
    problem = (
        f"{wanted.file} is there, but is not the pinned file: sha256 {there}, expected {wanted.sha256}; it is left"
        f" as it is. `--force` puts the pinned one there, and keeps this one as {beside(Path(wanted.file), 'old')}"
    )
    return Arrival(wanted.file, Status.OTHER, there, "" if options.accept_changed else problem)
