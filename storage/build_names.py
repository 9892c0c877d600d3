"""How a person names a build: `latest`, `previous`, a release, or the beginning of when it was made."""

from collections.abc import Sequence

from situatedgen.errors import StoreError
from storage.builds import all_builds, written
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


def _begun(builds: Sequence[Build], name: str) -> list[Build]:
    begun = [build for build in builds if name and written(build.created).startswith(written(name))]
    exact = [build for build in begun if written(build.created) == written(name)]
    return exact or begun
