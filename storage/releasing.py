"""Releases a build: pins it, and writes its dataset folder and archive, the same bytes each time."""

import platform
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from situatedgen import atomic
from situatedgen.errors import SettingsError, StoreError
from situatedgen.release import record, sums
from situatedgen.release.archive import ENDING, archive
from situatedgen.release.record import Artifact, File, Record
from situatedgen.release.verifying import BESIDE
from situatedgen.report.folder import read_manifest
from situatedgen.settings import validated
from storage.artifacts import ArtifactRef
from storage.builds import table
from storage.outcomes import Build, Outcome
from storage.precedents import STAGE
from storage.publication import publish
from storage.releases import Release, pin, stamp
from storage.store import Store

PRECEDENT = "precedent.parquet"


@dataclass(frozen=True, slots=True)
class Written:
    """A release, and where its folder and archive lie."""

    release: Release
    folder: Path
    archive: Path
    files: int


def released(store: Store, name: str, build: Build, *, out: Path, note: str = "") -> Written:
    """The release of a build under a name, pinned and written below a folder; nothing is written over another one.

    Raises:
        SettingsError: the name cannot be used, or something else stands in its place.
        StoreError: the name stands for another build, artifacts are lost, or something cannot be written.
    """
    pinned = pin(store, name, build, note=note)
    files = frozen(pinned, store)
    packed = archive(name, files)
    folder, file = out / name, out / f"{name}{ENDING}"
    stamped = stamp(store, pinned, sums=sums.digest(files[sums.FILE]), archive=sums.digest(packed))
    beside = sums.written({file.name: stamped.archive})
    try:
        out.mkdir(parents=True, exist_ok=True)
        with atomic.lock_folder(folder):
            _write_folder(folder, files)
            for path, content in ((file, packed), (file.with_name(file.name + BESIDE), beside)):
                _write_file(path, content)
    except OSError as error:
        raise StoreError(f"the release cannot be written to {out}: {error}") from error
    return Written(stamped, folder, file, len(files))


def frozen(release: Release, store: Store) -> dict[str, bytes]:
    """Every file of a release: the dataset folder, what it was made from, and the sums of all of them.

    Raises:
        StoreError: an artifact cannot be read.
    """
    with TemporaryDirectory(prefix="situatedgen-") as place:
        folder = publish(_ordered(release.build), store=store, out=Path(place) / release.name)
        manifest = read_manifest(folder)
        files = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }
    files |= _precedent(release.build, store)
    files[record.FILE] = _record(release, store, manifest, files).text()
    return {**files, sums.FILE: sums.written({name: sums.digest(content) for name, content in files.items()})}


def _ordered(build: Build) -> Build:
    """The build with its settings in the order in which they are declared, which a store does not keep."""
    try:
        settings = validated(build.settings).model_dump(mode="json")
    except SettingsError:
        return build
    return build.model_copy(update={"settings": settings}) if settings == build.settings else build


def _precedent(build: Build, store: Store) -> dict[str, bytes]:
    """The splits that the build followed, so that it can be built again without the dataset they are from."""
    if not build.precedent:
        return {}
    stream = BytesIO()
    table(store, build, STAGE).write_parquet(stream)
    return {PRECEDENT: stream.getvalue()}


def _record(release: Release, store: Store, manifest: Mapping[str, object], files: Mapping[str, bytes]) -> Record:
    build, versions = release.build, manifest["versions"]
    return Record(
        name=release.name,
        note=release.note,
        released=release.created,
        build=build.created,
        settings=build.settings,
        precedent=_given(build.precedent),
        decisions=_given(build.decisions),
        artifacts={outcome.ref.name: _artifact(outcome, store) for outcome in build.outcomes},
        versions={**(versions if isinstance(versions, dict) else {}), "python": platform.python_version()},
        files={name: File(sha256=sums.digest(content), bytes=len(content)) for name, content in files.items()},
    )


def _given(ref: ArtifactRef | None) -> dict[str, object] | None:
    """What was given to a build. Decisions are only named, not released: they tell who judged what."""
    return {"digest": ref.digest, "rows": ref.rows} if ref else None


def _artifact(outcome: Outcome, store: Store) -> Artifact:
    kept = store.record(outcome.ref.stage, outcome.key)
    return Artifact(
        key=outcome.key, digest=outcome.ref.digest, rows=outcome.ref.rows, parts=dict(kept.parts) if kept else {}
    )


def _write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write a folder that is not there yet; one that holds this very release stays."""
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
            f"{folder} is there already and is not this release; choose another name or --out, or look at it with"
            f" `situatedgen verify {folder}`"
        )


def _write_file(path: Path, content: bytes) -> None:
    if not path.exists():
        atomic.write(path, content)
    elif path.read_bytes() != content:
        raise SettingsError(f"{path} is there already and is not of this release; choose another name or --out")
