"""Releases: builds pinned under a name, so that nothing they need is ever collected."""

import re

from pydantic import BaseModel, ConfigDict, ValidationError

from situatedgen.errors import SettingsError, StoreError
from storage.artifacts import ArtifactRef
from storage.locks import BUILDS, held, sharing
from storage.outcomes import Build, now
from storage.store import Store

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
TAKEN = ("latest", "previous")


class Release(BaseModel):
    """A build under a name. It holds the whole build, so that it stands when the build's own record is lost.

    `sums` and `archive` are the digests of what was written of it; empty while nothing was.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    note: str = ""
    created: str
    build: Build
    sums: str = ""
    archive: str = ""


def pin(store: Store, name: str, build: Build, *, note: str = "") -> Release:
    """The release of a build under a name; the one that is there already when it pins the same build.

    Raises:
        SettingsError: the name cannot be used.
        StoreError: the name stands for another build, artifacts of this one are lost, or the store cannot be written.
    """
    _check(name)
    with sharing(store.root, BUILDS), held(store.root, "releases"):
        return _pinned(store, name, build, note)


def stamp(store: Store, release: Release, *, sums: str, archive: str) -> Release:
    """The release with the digests of what was written of it, once they are safely in the store.

    Raises:
        StoreError: other files were written under that name before.
    """
    if release.sums not in ("", sums):
        raise StoreError(
            f"release {release.name!r} was written before with other files ({release.sums[:16]}, now {sums[:16]}):"
            " the code or a package that writes them has changed; choose another name"
        )
    stamped = release.model_copy(update={"sums": sums, "archive": archive})
    if stamped != release:
        store.write_json(store.root / "releases" / f"{release.name}.json", stamped.model_dump(mode="json"))
    return stamped


def releases(store: Store) -> dict[str, Release]:
    """Every release of a store by name, in the order in which they were made.

    Raises:
        StoreError: a release cannot be read, so that nobody knows what it pins.
    """
    found = {release.name: release for release in readable(store)}
    for name in _names(store):
        if name not in found:
            raise StoreError(
                f"release {name!r} in {store.root} was altered, so that what it pins is not known;"
                f" pin it again after `situatedgen release {name} --delete`"
            )
    return found


def readable(store: Store) -> list[Release]:
    """The releases that can be read, in the order in which they were made."""
    found = (_read(store, name) for name in _names(store))
    return sorted((release for release in found if release), key=lambda release: release.created)


def unpin(store: Store, name: str) -> None:
    """Forget a release; what it pinned stays until it is collected.

    Raises:
        SettingsError: the name cannot be one of a release.
        StoreError: there is no such release.
    """
    _check(name)
    path = store.root / "releases" / f"{name}.json"
    if not path.is_file():
        raise StoreError(f"unknown release {name!r}; known: {', '.join(_names(store)) or 'none'}")
    path.unlink()


def lost_artifacts(store: Store, build: Build) -> tuple[str, ...]:
    """The names of a build's artifacts that are not in the store any more."""
    return tuple(ref.name for ref in artifacts_of(build) if not store.path(ref).is_file())


def artifacts_of(build: Build) -> list[ArtifactRef]:
    """Every artifact that a build made, took over, or was given."""
    return [*(outcome.ref for outcome in build.outcomes), *build.given]


def _pinned(store: Store, name: str, build: Build, note: str) -> Release:
    known, lost = releases(store), lost_artifacts(store, build)
    if lost:
        raise StoreError(f"build {build.created} cannot be released: it lacks {', '.join(lost)}; build again")
    if name in known and known[name].build.created != build.created:
        raise StoreError(f"release {name!r} is taken by build {known[name].build.created}; choose another name")
    if name in known and note in ("", known[name].note):
        return known[name]
    if name in known and known[name].sums:
        raise StoreError(
            f"release {name!r} was written with the note {known[name].note!r}, which stays; choose another name"
        )
    told = known[name] if name in known else Release(name=name, created=now(), build=build)
    release = told.model_copy(update={"note": note})
    store.write_json(store.root / "releases" / f"{name}.json", release.model_dump(mode="json"))
    return release


def _check(name: str) -> None:
    if not NAME.fullmatch(name):
        raise SettingsError(f"release name {name!r} may hold letters, digits, dots, dashes and underscores only")
    if name in TAKEN:
        raise SettingsError(f"release name {name!r} means a build already; choose another name")


def _read(store: Store, name: str) -> Release | None:
    value = store.read_json(store.root / "releases" / f"{name}.json")
    try:
        return None if value is None else Release.model_validate(value)
    except ValidationError:
        return None


def _names(store: Store) -> list[str]:
    return [path.stem for path in store.json_files("releases") if NAME.fullmatch(path.stem)]
