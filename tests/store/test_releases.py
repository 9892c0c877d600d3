"""How builds are named and pinned."""

from typing import Any

import pytest

from situatedgen.errors import SettingsError, StoreError
from storage.builds import Build, record_build
from storage.datasets import find_build
from storage.filesystem import StorePath
from storage.releases import pin, readable_releases, releases, unpin
from storage.store import Store

Three = tuple[Store, list[Build]]


@pytest.fixture
def three(place: StorePath) -> Three:
    """Three builds of nothing, a second apart."""
    store = Store(place)
    times = [f"2026-01-01T00:00:0{second}.000000Z" for second in range(3)]
    builds = [Build(created=created, settings={}, sources="", outcomes=()) for created in times]
    for build in builds:
        record_build(store, build)
    return store, builds


def test_a_build_goes_by_several_names(three: Three) -> None:
    store, builds = three
    pin(store, "v1", builds[0])
    for name, wanted in [
        ("latest", builds[2]),
        ("previous", builds[1]),
        ("v1", builds[0]),
        (builds[1].created, builds[1]),
        (builds[1].created[:-1], builds[1]),  # the beginning is enough where it is one build's alone
        (builds[1].created.replace(":", "").replace(".", "-"), builds[1]),  # as its file is called
    ]:
        assert find_build(store, name) == wanted


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("20", "'20' matches 3 builds; known: latest, previous, v1, 20"),
        ("1999", "unknown build '1999'; known: latest, previous, v1, 20"),
        ("", "unknown build ''"),
    ],
)
def test_a_name_of_no_build_or_several_is_refused(three: Three, name: str, message: str) -> None:
    store, builds = three
    pin(store, "v1", builds[0])
    with pytest.raises(StoreError, match=message):
        find_build(store, name)


def test_a_release_holds_its_build_and_is_not_moved_to_another(three: Three) -> None:
    store, (first, _, latest) = three
    release = pin(store, "v1.0_rc-1", latest, note="as published")
    assert releases(store) == {"v1.0_rc-1": release}
    assert (release.build, release.note) == (latest, "as published")
    assert pin(store, "v1.0_rc-1", latest) == release
    with pytest.raises(StoreError, match=f"'v1.0_rc-1' already pins build {latest.created}"):
        pin(store, "v1.0_rc-1", first)
    unpin(store, "v1.0_rc-1")
    assert readable_releases(store) == []


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("../v1", "letters, digits, dots"),  # would lie elsewhere
        (".v1", "letters, digits, dots"),  # a hidden file
        ("latest", "is reserved"),
    ],
)
def test_a_release_name_that_cannot_be_used_is_refused(three: Three, name: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        pin(three[0], name, three[1][0])


def test_a_build_that_lost_an_artifact_cannot_be_released(three: Three, tiny: Any) -> None:
    with pytest.raises(StoreError, match="missing items/arc, items/commonsenseqa"):
        pin(three[0], "v1", tiny.build)
