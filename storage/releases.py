"""Releases: builds pinned under a name, written as folder and archive, and reproduced from the sources."""

import platform
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
from pydantic import BaseModel, ConfigDict, ValidationError

from situatedgen import atomic
from situatedgen.dataset.folder import MANIFEST, read_manifest
from situatedgen.dataset.release import archive, record
from situatedgen.dataset.release.archive import ENDING
from situatedgen.dataset.release.record import Artifact, File, Record, require_trust
from situatedgen.dataset.release.verify import CHECKSUM_SUFFIX
from situatedgen.errors import SettingsError, StoreError
from situatedgen.runtime import Runtime
from situatedgen.settings import validate
from storage import inputs
from storage.builds import Build, Observer, Outcome, now, read_build_table
from storage.inputs import PRECEDENT_STAGE, save_splits
from storage.locks import BUILDS, lock, shared_lock
from storage.plain import build_dataset
from storage.plan.reasons import part_reasons, symbols_of
from storage.publication import describe_input, publish
from storage.requests import BuildRequest
from storage.store import UNREADABLE, ArtifactRef, Store

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
RESERVED = ("latest", "previous")


class Release(BaseModel):
    """A named build. It contains the whole build, so that it survives the loss of the build's own record.

    `sums` and `archive` are the digests of the written files; empty until they are written.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    note: str = ""
    created: str
    build: Build
    sums: str = ""
    archive: str = ""


def pin(store: Store, name: str, build: Build, *, note: str = "") -> Release:
    """Pin a build under a release name; return the existing release if it pins the same build.

    Raises:
        SettingsError: the name is invalid.
        StoreError: the name is taken by another build, artifacts of this one are lost, or the store cannot be written.
    """
    _check_name(name)
    with shared_lock(store.root, BUILDS), lock(store.root, "releases"):
        return _write_pin(store, name, build, note)


def record_digests(store: Store, release: Release, *, sums: str, archive: str) -> Release:
    """Record the digests of a release's written files and return the updated release.

    Raises:
        StoreError: different files were written under that name before.
    """
    if release.sums not in ("", sums):
        raise StoreError(
            f"release {release.name!r} was already written with different files ({release.sums[:16]}, now {sums[:16]}),"
            " because the code or a package has changed since; choose another name"
        )
    stamped = release.model_copy(update={"sums": sums, "archive": archive})
    if stamped != release:
        store.write_json(store.root / "releases" / f"{release.name}.json", stamped.model_dump(mode="json"))
    return stamped


def releases(store: Store) -> dict[str, Release]:
    """Return all releases of a store by name, in order of creation.

    Raises:
        StoreError: a release cannot be read, so that its build is unknown.
    """
    found = {release.name: release for release in readable_releases(store)}
    for name in _names(store):
        if name not in found:
            raise StoreError(
                f"release {name!r} in {store.root} was altered, so the build it pins is unknown;"
                f" delete it with `situatedgen release {name} --delete`, then release it again"
            )
    return found


def readable_releases(store: Store) -> list[Release]:
    """Return the readable releases in order of creation."""
    found = (_read(store, name) for name in _names(store))
    return sorted((release for release in found if release), key=lambda release: release.created)


def unpin(store: Store, name: str) -> None:
    """Delete a release; its artifacts remain until garbage collection.

    Raises:
        SettingsError: the name is not a valid release name.
        StoreError: the release does not exist.
    """
    _check_name(name)
    path = store.root / "releases" / f"{name}.json"
    if not path.is_file():
        raise StoreError(f"unknown release {name!r}; known: {', '.join(_names(store)) or 'none'}")
    path.unlink()


def lost_artifacts(store: Store, build: Build) -> tuple[str, ...]:
    """Return the names of a build's artifacts that are missing from the store."""
    return tuple(ref.name for ref in artifacts_of(build) if not store.path(ref).is_file())


def artifacts_of(build: Build) -> list[ArtifactRef]:
    """Return every artifact that a build computed, reused or was given."""
    return [*(outcome.ref for outcome in build.outcomes), *build.given]


def _write_pin(store: Store, name: str, build: Build, note: str) -> Release:
    known, lost = releases(store), lost_artifacts(store, build)
    if lost:
        raise StoreError(f"build {build.created} cannot be released: missing {', '.join(lost)}; build again")
    if name in known and known[name].build.created != build.created:
        raise StoreError(f"release {name!r} already pins build {known[name].build.created}; choose another name")
    if name in known and note in ("", known[name].note):
        return known[name]
    if name in known and known[name].sums:
        raise StoreError(
            f"release {name!r} was already written with the note {known[name].note!r}; choose another name"
        )
    pinned = known[name] if name in known else Release(name=name, created=now(), build=build)
    release = pinned.model_copy(update={"note": note})
    store.write_json(store.root / "releases" / f"{name}.json", release.model_dump(mode="json"))
    return release


def _check_name(name: str) -> None:
    if not NAME.fullmatch(name):
        raise SettingsError(f"invalid release name {name!r}: expected letters, digits, dots, dashes and underscores")
    if name in RESERVED:
        raise SettingsError(f"release name {name!r} is reserved; choose another name")


def _read(store: Store, name: str) -> Release | None:
    value = store.read_json(store.root / "releases" / f"{name}.json")
    try:
        return None if value is None else Release.model_validate(value)
    except ValidationError:
        return None


def _names(store: Store) -> list[str]:
    return [path.stem for path in store.json_files("releases") if NAME.fullmatch(path.stem)]


PRECEDENT = "precedent.parquet"


@dataclass(frozen=True, slots=True)
class WrittenRelease:
    """A release and the paths of its folder and archive."""

    release: Release
    folder: Path
    archive: Path
    files: int


def write_release(store: Store, name: str, build: Build, *, out: Path, note: str = "") -> WrittenRelease:
    """Pin a build as a release and write its folder and archive, never overwriting another release.

    Raises:
        SettingsError: the name is invalid, or other files are in the way.
        StoreError: the name is taken by another build, artifacts are lost, or a file cannot be written.
    """
    pinned = pin(store, name, build, note=note)
    files = release_files(pinned, store)
    packed = archive.pack(name, files)
    folder, file = out / name, out / f"{name}{ENDING}"
    stamped = record_digests(store, pinned, sums=archive.digest(files[archive.FILE]), archive=archive.digest(packed))
    beside = archive.format_sums({file.name: stamped.archive})
    try:
        out.mkdir(parents=True, exist_ok=True)
        with atomic.lock_folder(folder):
            _write_folder(folder, files)
            for path, content in ((file, packed), (file.with_name(file.name + CHECKSUM_SUFFIX), beside)):
                _write_file(path, content)
    except OSError as error:
        raise StoreError(f"the release cannot be written to {out}: {error}") from error
    return WrittenRelease(stamped, folder, file, len(files))


def release_files(release: Release, store: Store) -> dict[str, bytes]:
    """Return every file of a release: the dataset folder, its provenance, and the checksums of all files.

    Raises:
        StoreError: an artifact cannot be read.
    """
    with TemporaryDirectory(prefix="situatedgen-") as place:
        folder = publish(_sort_settings(release.build), store=store, out=Path(place) / release.name)
        manifest = read_manifest(folder)
        files = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }
    files |= _splits_file(release.build, store)
    files[record.FILE] = _record(release, store, manifest, files).text()
    return {
        **files,
        archive.FILE: archive.format_sums({name: archive.digest(content) for name, content in files.items()}),
    }


def _sort_settings(build: Build) -> Build:
    """Return the build with its settings in declaration order, which a store does not preserve."""
    try:
        settings = validate(build.settings).model_dump(mode="json")
    except SettingsError:
        return build
    return build.model_copy(update={"settings": settings}) if settings == build.settings else build


def _splits_file(build: Build, store: Store) -> dict[str, bytes]:
    """Return the splits that the build followed, so that it can be reproduced without the earlier dataset."""
    if not build.precedent:
        return {}
    stream = BytesIO()
    read_build_table(store, build, PRECEDENT_STAGE).write_parquet(stream)
    return {PRECEDENT: stream.getvalue()}


def _record(release: Release, store: Store, manifest: Mapping[str, object], files: Mapping[str, bytes]) -> Record:
    build, versions = release.build, manifest["versions"]
    return Record(
        name=release.name,
        note=release.note,
        released=release.created,
        build=build.created,
        settings=build.settings,
        precedent=describe_input(build.precedent),
        decisions=describe_input(build.decisions),
        artifacts={outcome.ref.name: _artifact(outcome, store) for outcome in build.outcomes},
        versions={**(versions if isinstance(versions, dict) else {}), "python": platform.python_version()},
        files={name: File(sha256=archive.digest(content), bytes=len(content)) for name, content in files.items()},
    )


def _artifact(outcome: Outcome, store: Store) -> Artifact:
    kept = store.record(outcome.ref.stage, outcome.key)
    return Artifact(
        key=outcome.key, digest=outcome.ref.digest, rows=outcome.ref.rows, parts=dict(kept.parts) if kept else {}
    )


def _write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write a new folder, or leave it unchanged if it already contains this very release."""
    atomic.finish_replacement(folder, ours=frozenset(files))
    if not folder.exists():
        atomic.replace_folder(folder, files, ours=frozenset())
        return
    there = (
        {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if not path.is_dir()}
        if folder.is_dir()
        else {}
    )
    if there.keys() != files.keys() or any(path.read_bytes() != files[name] for name, path in there.items()):
        raise SettingsError(
            f"{folder} already exists and is not this release; choose another name or --out, or inspect it with"
            f" `situatedgen verify {folder}`"
        )


def _write_file(path: Path, content: bytes) -> None:
    if not path.exists():
        atomic.write(path, content)
    elif path.read_bytes() != content:
        raise SettingsError(f"{path} already exists and is not part of this release; choose another name or --out")


BUILD_SPECIFIC = frozenset({MANIFEST, record.FILE, archive.FILE, PRECEDENT})
"""Files that say when and by whom something was built, or that only a release contains."""


@dataclass(frozen=True, slots=True)
class ReproducedStep:
    """An artifact with different rows or a different key, and why; no reasons if only its inputs changed."""

    artifact: str
    same_rows: bool
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reproduction:
    """Comparison of a release with its rebuild: files, artifacts, versions and given inputs."""

    files: int
    differing: tuple[str, ...]
    missing: tuple[str, ...]
    added: tuple[str, ...]
    artifacts: int
    steps: tuple[ReproducedStep, ...]
    versions: tuple[str, ...]
    given: tuple[str, ...] = ()

    @property
    def is_same(self) -> bool:
        """Whether every file is identical."""
        return not (self.differing or self.missing or self.added)

    @property
    def first(self) -> ReproducedStep | None:
        """The first artifact with different rows, where the builds diverge."""
        return next((step for step in self.steps if not step.same_rows), None)


def reproduce(
    folder: Path,
    *,
    sources: Path,
    store: Store,
    out: Path,
    runtime: Runtime,
    decisions: Path | None = None,
    observer: Observer | None = None,
    trust: bool = False,
) -> Reproduction:
    """Rebuild a release from its sources and decisions into a folder, and compare the two.

    Readers, models and weights that do not ship with situatedgen are used only if the release is trusted.

    Raises:
        SettingsError: the folder is not a release, this version cannot read its settings, or they name code or
            weights that are not built in and the release is not trusted.
        SituatedGenError: the build fails.
    """
    released = record.read_record(folder)
    settings = validate(released.settings)
    require_trust(settings, trust=trust)
    request = BuildRequest(
        settings,
        sources,
        precedent=_save_splits(released, folder, store),
        decisions=_decisions(released, decisions, store),
    )
    build = build_dataset(request, store=store, out=out, runtime=runtime, observer=observer)
    return compare_records(released, record.read_record(out), build, store)


def compare_records(released: Record, rebuilt: Record, build: Build, store: Store) -> Reproduction:
    """Compare a release with a build of the same settings."""
    before, now = (
        {name: file.sha256 for name, file in each.files.items() if name not in BUILD_SPECIFIC}
        for each in (released, rebuilt)
    )
    return Reproduction(
        files=len(before),
        differing=tuple(sorted(name for name in before if name in now and before[name] != now[name])),
        missing=tuple(sorted(before.keys() - now.keys())),
        added=tuple(sorted(now.keys() - before.keys())),
        artifacts=len(released.artifacts),
        steps=tuple(_steps(released, build, store)),
        versions=tuple(_versions(released.versions, rebuilt.versions)),
        given=() if released.decisions == rebuilt.decisions else ("the decisions differ from those of the release",),
    )


def _steps(released: Record, build: Build, store: Store) -> Iterator[ReproducedStep]:
    """Yield each artifact with a different key or different rows, in pipeline order."""
    made = {outcome.ref.name: outcome for outcome in build.outcomes}
    for name in dict.fromkeys([*made, *released.artifacts]):
        before, now = released.artifacts.get(name), made.get(name)
        if before is None or now is None:
            yield ReproducedStep(
                name, same_rows=False, reasons=("only in the rebuild" if now else "missing from the rebuild",)
            )
        elif (before.key, before.digest) != (now.key, now.ref.digest):
            kept = store.record(now.ref.stage, now.key)
            reasons = (
                part_reasons(before.parts, kept.parts, partial(symbols_of, store, {})) if kept and before.parts else []
            )
            yield ReproducedStep(name, before.digest == now.ref.digest, tuple(reasons))


def _versions(before: Mapping[str, str], now: Mapping[str, str]) -> Iterator[str]:
    for name in sorted(before.keys() & now.keys()):
        if before[name] != now[name]:
            yield f"{name} {before[name]} → {now[name]}"


def _save_splits(released: Record, folder: Path, store: Store) -> ArtifactRef | None:
    """Save the splits that a release followed, from the file included in it."""
    if released.precedent is None:
        return None
    try:
        kept = save_splits(store, pl.read_parquet(folder / PRECEDENT, use_statistics=False))
    except UNREADABLE as error:
        raise SettingsError(
            f"{folder} keeps the splits of an earlier dataset, but its {PRECEDENT} cannot be read: {error};"
            " reproduce a release, which includes that file"
        ) from error
    if kept.digest != released.precedent.get("digest"):
        raise SettingsError(
            f"{folder / PRECEDENT} does not match its digest in the record; run `situatedgen verify {folder}`"
        )
    return kept


def _decisions(released: Record, folder: Path | None, store: Store) -> ArtifactRef | None:
    """Save the annotators' decisions that a release was built with, from their folder."""
    if released.decisions and folder is None:
        raise SettingsError(
            "the release was built with annotators' decisions, which it does not include because they contain names;"
            " give their folder with --decisions DIR"
        )
    return inputs.save_decisions(store, folder)
