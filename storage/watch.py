"""Detects whether sources changed since they were last checked, and updates them from upstream."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from situatedgen.errors import SourceError
from situatedgen.fetch.download import PAUSES, Version
from situatedgen.fetch.fetch import Fetched, Home, Options, beside, fetch, homes, table
from situatedgen.sources.builtin import COLLECTIONS
from situatedgen.sources.params import SourceParams
from situatedgen.sources.registry import choose, find, source_digests
from situatedgen.sources.source import read
from storage.filesystem import StorePath
from storage.inputs import read_decisions
from storage.store import Store, json_digest, table_digest

DECISIONS = "decisions"


class Snapshot(BaseModel):
    """Snapshot of a source: the SHA-256 of each file and the number of `items` rows."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: str
    folder: str
    files: dict[str, str]
    rows: int
    looked: str

    @property
    def digest(self) -> str:
        """One digest of all files."""
        return json_digest(self.files)


class SourceCheck(BaseModel):
    """A check of a source: its previous snapshot (None if it was never checked) and its current one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    before: Snapshot | None
    now: Snapshot

    @property
    def changed(self) -> bool:
        """Whether the content changed; a first check is not a change."""
        return self.before is not None and self.before.digest != self.now.digest

    @property
    def changed_files(self) -> list[str]:
        """The files that were edited, added or removed."""
        before = self.before.files if self.before else self.now.files
        names = sorted({*before, *self.now.files})
        return [name for name in names if before.get(name) != self.now.files.get(name)]

    @property
    def words(self) -> str:
        """A short summary of the check."""
        if self.before is None:
            return f"first check: {self.now.rows:,} rows"
        if not self.changed:
            return f"unchanged: {self.now.rows:,} rows"
        return f"changed: {self.before.rows:,} → {self.now.rows:,} rows ({', '.join(self.changed_files)})"

    def payload(self) -> dict[str, object]:
        """Return the payload of a change event: old and new digest and row counts, and the changed files."""
        return {
            "source": self.now.source,
            "folder": self.now.folder,
            "old_digest": self.before.digest if self.before else None,
            "new_digest": self.now.digest,
            "old_rows": self.before.rows if self.before else None,
            "new_rows": self.now.rows,
            "files": self.changed_files,
        }


def watched_sources(named: Sequence[SourceParams], folder: Path) -> tuple[SourceParams, ...]:
    """Return the sources that a build would read from a folder; none if the folder is missing and none are named.

    Raises:
        SourceError: the folder contains none of them, or a file of one is missing.
    """
    return choose(named, folder) if named or folder.exists() else ()


def missing_folder(sources: Sequence[object], folder: Path) -> list[str]:
    """Return a message saying why nothing was checked, or no message if something was."""
    return [] if sources else [f"there is no folder {folder.resolve()} yet; `situatedgen fetch` creates one"]


def check_source(source: SourceParams, folder: Path, store: Store) -> SourceCheck:
    """Compare a source with its last snapshot; its records are read only if its content changed.

    Raises:
        SourceError: a file is missing, unreadable or being written, or contains no usable record.
    """
    before = last_snapshot(store, folder, source.name)
    files = source_digests(source, folder)
    rows = before.rows if before and before.files == files else _count_rows(source, folder, files)
    return SourceCheck(before=before, now=_snapshot(source.name, folder, files, rows))


def check_decisions(folder: Path, store: Store) -> SourceCheck:
    """Compare the annotation decisions with their last snapshot, counting only those that a build uses (no notes).

    Raises:
        SettingsError: the folder does not exist.
        StoreError: the folder cannot be read.
    """
    table = read_decisions(folder)
    now = _snapshot(DECISIONS, folder, {DECISIONS: table_digest(table)}, table.height)
    return SourceCheck(before=last_snapshot(store, folder, DECISIONS), now=now)


def _snapshot(name: str, folder: Path, files: dict[str, str], rows: int) -> Snapshot:
    looked = datetime.now(UTC).isoformat(timespec="seconds")
    return Snapshot(source=name, folder=str(folder.resolve()), files=files, rows=rows, looked=looked)


def last_snapshot(store: Store, folder: Path, name: str) -> Snapshot | None:
    """Return the last recorded snapshot of a source in a folder, or None if it is missing or unreadable."""
    value = store.read_json(_path(store, folder, name))
    try:
        return Snapshot.model_validate(value) if value else None
    except ValidationError:
        return None


def record(store: Store, snapshot: Snapshot) -> None:
    """Record the snapshot of a source.

    Raises:
        StoreError: the store cannot be written.
    """
    store.write_json(_path(store, Path(snapshot.folder), snapshot.source), snapshot.model_dump(mode="json"))


def folder_id(folder: Path) -> str:
    """Return an identifier of a folder, unique among all folders watched with one store."""
    return json_digest(str(folder.resolve()))


def _path(store: Store, folder: Path, name: str) -> StorePath:
    return store.root / "seen" / folder_id(folder) / f"{name}.json"


def _count_rows(source: SourceParams, folder: Path, files: dict[str, str]) -> int:
    """Count the rows of a source; fail if its content changes while it is read."""
    rows = len(read(find(source), folder).rows)
    if source_digests(source, folder) != files:
        raise SourceError(f"source {source.name!r} changed while it was read; check again when it is complete")
    return rows


Upstream = Literal["ignore", "report", "accept"]
"""How to treat upstream changes: ignore them, keep them aside and report them, or accept them."""


def refresh(
    names: Sequence[str],
    folder: Path,
    store: Store,
    *,
    upstream: Upstream,
    mirror: str | None = None,
    pauses: Sequence[float] = PAUSES,
) -> list[Fetched]:
    """Fetch the sources from upstream and return the result for each; [] if upstream is to be ignored.

    The fetched versions are recorded, so that only newer ones are downloaded next time.

    Raises:
        SettingsError: a source has no upstream address, or the mirror is not a valid address.
        StoreError: the store cannot be written.
    """
    if upstream == "ignore" or not names:
        return []
    asked, known, accept = homes(names, mirror), versions(store, folder), upstream == "accept"
    taken = {home.address for home in asked if accept and pending_files(home, folder)}
    fresh = {address: version for address, version in known.items() if address not in taken}
    found = fetch(asked, folder, Options(refresh=True, accept_changed=accept, pauses=pauses), known=fresh)
    _record_versions(store, folder, {**known, **{each.home.address: each.version for each in found if each.version}})
    return found


def fetchable_sources(sources: Sequence[SourceParams], folder: Path) -> list[str]:
    """Return the built-in sources to fetch: those named, otherwise those in the folder, otherwise all."""
    if sources:
        return [source.name for source in sources if source.built_in]
    known = table()
    there = [name for name in known if any((folder / part.file).is_file() for part in COLLECTIONS[name].files)]
    return there or list(known)


def pending_files(home: Home, folder: Path) -> list[Path]:
    """Return the changed upstream files that were kept beside the originals for review."""
    aside = [beside(folder / wanted.file, "new") for wanted in home.files]
    return [path for path in aside if path.exists()]


def failures(found: Sequence[Fetched]) -> list[str]:
    """Return the distinct errors of upstream addresses that could not be fetched."""
    return list(dict.fromkeys(each.problem for each in found if each.problem))


def pending_reviews(found: Sequence[Fetched], folder: Path) -> list[str]:
    """Return a message for each changed upstream file that awaits review, from this check or an earlier one."""
    return [
        f"{path} awaits review: the upstream file has changed and differs from the current one;"
        " compare them, then accept the change or delete the new file"
        for each in found
        for path in pending_files(each.home, folder)
    ]


def versions(store: Store, folder: Path) -> dict[str, Version]:
    """Return the versions that a folder was last updated to, by address."""
    found = store.read_json(_versions_path(store, folder)) or {}
    kept = found.get("versions")
    if not isinstance(kept, dict):
        return {}
    return {address: Version(str(value["etag"]), str(value["modified"])) for address, value in kept.items()}


def _record_versions(store: Store, folder: Path, found: Mapping[str, Version]) -> None:
    store.write_json(_versions_path(store, folder), {"versions": {name: asdict(each) for name, each in found.items()}})


def _versions_path(store: Store, folder: Path) -> StorePath:
    return store.root / "seen" / f"{folder_id(folder)}.json"
