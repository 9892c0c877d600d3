"""How a person names a build: `latest`, `previous`, a release, or the beginning of when it was made."""

from collections.abc import Sequence

from pydantic import ValidationError

from situatedgen.errors import StoreError
from storage.outcomes import Build
from storage.releases import releases
from storage.store import Store


def find_build(store: Store, name: str) -> Build:
    """The build that a name means: `latest`, `previous`, a release, or the beginning of one `created`.

    Raises:
        StoreError: no build, or more than one, goes by that name.
    """
    found = all_builds(store)
    named = dict(zip(("latest", "previous"), reversed(found), strict=False))
    if name not in named:
        named.update({release.name: release.build for release in releases(store).values()})
    if not named:
        raise StoreError(f"nothing was built in {store.root} yet; run `situatedgen build` first")
    meant = [named[name]] if name in named else _begun(found, name)
    if len(meant) == 1:
        return meant[0]
    problem = f"{name!r} means {len(meant)} builds" if meant else f"unknown build {name!r}"
    raise StoreError(f"{problem}; known: {', '.join([*named, *(build.created for build in found)])}")


def all_builds(store: Store) -> list[Build]:
    """The builds of a store that can be read, oldest first."""
    paths = sorted((store.root / "builds").glob("*.json"))
    found = (_build(store.read_json(path)) for path in paths)
    return [build for build in found if build is not None]


def written(created: str) -> str:
    """The time of a build as its file is named: without what some file systems refuse."""
    return created.replace(":", "").replace(".", "-")


def _begun(builds: Sequence[Build], name: str) -> list[Build]:
    begun = [build for build in builds if name and written(build.created).startswith(written(name))]
    exact = [build for build in begun if written(build.created) == written(name)]
    return exact or begun


def _build(value: dict[str, object] | None) -> Build | None:
    try:
        return None if value is None else Build.model_validate(value)
    except ValidationError:
        return None
