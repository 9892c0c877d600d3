"""Whether sources changed since they were last seen, and how they are brought up to date."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from situatedgen.errors import SourceError
from situatedgen.fetch.download import PAUSES, Version
from situatedgen.fetch.fetch import Fetched, Home, Options, beside, fetch, homes
from situatedgen.sources.registry import COLLECTIONS, choose, find, source_digests
from situatedgen.sources.source import BUILT_IN, SourceParams, read
from storage.filesystem import StorePath
from storage.inputs import read_decisions
from storage.store import Store, json_digest, table_digest

DECISIONS = "decisions"


class Seen(BaseModel):
    """A source as it was: the sha256 of each of its files, and how many rows of `items` it gives."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: str
    folder: str
    files: dict[str, str]
    rows: int
    looked: str

    @property
    def digest(self) -> str:
        """One digest of all its files."""
        return json_digest(self.files)


class Look(BaseModel):
    """A look at a source: what it was before (nothing: nobody had looked), and what it is now."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    before: Seen | None
    now: Seen

    @property
    def changed(self) -> bool:
        """Whether the content is another than it was; a first look is no change."""
        return self.before is not None and self.before.digest != self.now.digest

    @property
    def changed_files(self) -> list[str]:
        """The files whose content is another, that came, or that went."""
        before = self.before.files if self.before else self.now.files
        names = sorted({*before, *self.now.files})
        return [name for name in names if before.get(name) != self.now.files.get(name)]

    @property
    def words(self) -> str:
        """What was seen, in a few words."""
        if self.before is None:
            return f"seen for the first time: {self.now.rows:,} rows"
        if not self.changed:
            return f"as before: {self.now.rows:,} rows"
        return f"changed: {self.before.rows:,} → {self.now.rows:,} rows ({', '.join(self.changed_files)})"

    def payload(self) -> dict[str, object]:
        """What an event says of a change: old and new digest and row counts, and which files changed."""
        return {
            "source": self.now.source,
            "folder": self.now.folder,
            "old_digest": self.before.digest if self.before else None,
            "new_digest": self.now.digest,
            "old_rows": self.before.rows if self.before else None,
            "new_rows": self.now.rows,
            "files": self.changed_files,
        }


def find_watched(named: Sequence[SourceParams], folder: Path) -> tuple[SourceParams, ...]:
    """The sources that a build would read from a folder; none while there is no folder, unless some are named.

    Raises:
        SourceError: the folder holds none of them, or a file of one is missing.
    """
    return choose(named, folder) if named or folder.exists() else ()


def absence(sources: Sequence[object], folder: Path) -> list[str]:
    """A word on why nothing was looked at; none when something was."""
    return [] if sources else [f"there is no folder {folder.resolve()} yet; `situatedgen fetch` fills one"]


def look(source: SourceParams, folder: Path, store: Store) -> Look:
    """What a source is now, beside what it was; its records are read only when its content is another.

    Raises:
        SourceError: a file is missing or cannot be read, nothing in it can be used, or it is being written.
    """
    before = last_seen(store, folder, source.name)
    files = source_digests(source, folder)
    rows = before.rows if before and before.files == files else _rows(source, folder, files)
    return Look(before=before, now=_observe(source.name, folder, files, rows))


def look_at_decisions(folder: Path, store: Store) -> Look:
    """What people decided by now, beside what it was: only what a build would take in counts, and no note.

    Raises:
        SettingsError: there is no such folder.
        StoreError: it cannot be read.
    """
    table = read_decisions(folder)
    now = _observe(DECISIONS, folder, {DECISIONS: table_digest(table)}, table.height)
    return Look(before=last_seen(store, folder, DECISIONS), now=now)


def _observe(name: str, folder: Path, files: dict[str, str], rows: int) -> Seen:
    looked = datetime.now(UTC).isoformat(timespec="seconds")
    return Seen(source=name, folder=str(folder.resolve()), files=files, rows=rows, looked=looked)


def last_seen(store: Store, folder: Path, name: str) -> Seen | None:
    """What a source in a folder was when it was last recorded; nothing when it never was, or the record is lost."""
    value = store.read_json(_path(store, folder, name))
    try:
        return Seen.model_validate(value) if value else None
    except ValidationError:
        return None


def record(store: Store, seen: Seen) -> None:
    """Write down what a source is.

    Raises:
        StoreError: the store cannot be written.
    """
    store.write_json(_path(store, Path(seen.folder), seen.source), seen.model_dump(mode="json"))


def place(folder: Path) -> str:
    """The name of a folder among all that are looked at with one store."""
    return json_digest(str(folder.resolve()))


def _path(store: Store, folder: Path, name: str) -> StorePath:
    return store.root / "seen" / place(folder) / f"{name}.json"


def _rows(source: SourceParams, folder: Path, files: dict[str, str]) -> int:
    """How many rows a source gives; refused when its content is another after reading than before."""
    rows = len(read(find(source), folder).rows)
    if source_digests(source, folder) != files:
        raise SourceError(f"source {source.name!r} is being written; look again when that is over")
    return rows


Upstream = Literal["ignore", "report", "accept"]
"""What is done about the homes: nothing; changes are kept aside and reported; changes are taken."""


def refresh(
    names: Sequence[str],
    folder: Path,
    store: Store,
    *,
    upstream: Upstream,
    mirror: str | None = None,
    pauses: Sequence[float] = PAUSES,
) -> list[Fetched]:
    """What came of each home that was asked, and none when they are to be ignored.

    The versions that came are written down, so that only another one is downloaded the next time.

    Raises:
        SettingsError: a source has no home, or the mirror is not an address.
        StoreError: the store cannot be written.
    """
    if upstream == "ignore" or not names:
        return []
    asked, known, accept = homes(names, mirror), versions(store, folder), upstream == "accept"
    taken = {home.address for home in asked if accept and waiting(home, folder)}
    fresh = {address: version for address, version in known.items() if address not in taken}
    found = fetch(asked, folder, Options(refresh=True, accept_changed=accept, pauses=pauses), known=fresh)
    _record(store, folder, {**known, **{each.home.address: each.version for each in found if each.version}})
    return found


def with_homes(sources: Sequence[SourceParams], folder: Path) -> list[str]:
    """The sources that are asked for: the built-in ones that are named, else those in the folder, else all."""
    if sources:
        return [source.name for source in sources if source.built_in]
    there = [name for name in BUILT_IN if any((folder / part.file).is_file() for part in COLLECTIONS[name].files)]
    return there or list(BUILT_IN)


def waiting(home: Home, folder: Path) -> list[Path]:
    """The files of a home that changed, and wait beside their places for a person."""
    aside = [beside(folder / wanted.file, "new") for wanted in home.files]
    return [path for path in aside if path.exists()]


def failures(found: Sequence[Fetched]) -> list[str]:
    """The homes that could not be asked, each with the reason."""
    return list(dict.fromkeys(each.problem for each in found if each.problem))


def news(found: Sequence[Fetched], folder: Path) -> list[str]:
    """The files that changed where they live and wait for a person, since now or since an earlier look."""
    return [
        f"{path} waits: the file has changed where it lives, and differs from the one that is read;"
        " look at it, then accept changes or delete it"
        for each in found
        for path in waiting(each.home, folder)
    ]


def versions(store: Store, folder: Path) -> dict[str, Version]:
    """The versions that a folder was last brought up to, by address."""
    found = store.read_json(_versions_path(store, folder)) or {}
    kept = found.get("versions")
    if not isinstance(kept, dict):
        return {}
    return {address: Version(str(value["etag"]), str(value["modified"])) for address, value in kept.items()}


def _record(store: Store, folder: Path, found: Mapping[str, Version]) -> None:
    store.write_json(_versions_path(store, folder), {"versions": {name: asdict(each) for name, each in found.items()}})


def _versions_path(store: Store, folder: Path) -> StorePath:
    return store.root / "seen" / f"{place(folder)}.json"
