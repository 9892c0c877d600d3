"""One look at a store: its files, its builds, and which of these need which of those."""

from collections import defaultdict
from dataclasses import dataclass
from functools import cache, cached_property

from storage.builds import all_builds
from storage.care.needing import needs
from storage.care.shelves import Kept, files
from storage.outcomes import Build
from storage.releases import Release, readable
from storage.store import Store


@dataclass(frozen=True)
class Survey:
    """One look at a store: its files, its builds, and which of these need which of those."""

    store: Store

    @cached_property
    def listed(self) -> list[Kept]:
        """Every file."""
        return files(self.store.root)

    @cached_property
    def builds(self) -> dict[str, Build]:
        """Every build by its time, oldest first, those that only a release remembers among them."""
        found = [*all_builds(self.store), *(release.build for release in self.releases)]
        return {build.created: build for build in sorted(found, key=lambda build: build.created)}

    @cached_property
    def releases(self) -> list[Release]:
        """Every release that can be read, oldest first."""
        return readable(self.store)

    @cached_property
    def users(self) -> dict[str, set[str]]:
        """The builds that need each unit."""
        found, record_of = defaultdict[str, set[str]](set), cache(self.store.record)
        for created, build in self.builds.items():
            for unit in needs(build, record_of).units:
                found[unit].add(created)
        return dict(found)

    def users_of(self, kept: Kept) -> set[str]:
        """The builds that need a file, by their times."""
        return self.users.get(kept.unit, set())

    def pins(self, builds: set[str]) -> tuple[str, ...]:
        """The releases that pin any of some builds."""
        return tuple(release.name for release in self.releases if release.build.created in builds)
