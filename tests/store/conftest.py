"""Stores with one and with three tiny builds, for tests that harm, verify and collect them."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from storage.builds import Build, all_builds
from storage.store import Store
from store_support import build


@pytest.fixture
def store(tiny: Any, tmp_path: Path) -> Store:
    """A store of one's own with the tiny build in it."""
    shutil.copytree(tiny.store.root, tmp_path / "store")
    return Store(tmp_path / "store")


@pytest.fixture(scope="module")
def three_built(tiny: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, list[Build]]:
    root = tmp_path_factory.mktemp("three") / "store"
    shutil.copytree(tiny.store.root, root)
    store = Store(root)
    build(store, "pairs.min_similarity=0.95")
    build(store, "examples.seed=7")
    return store, all_builds(store)


@pytest.fixture
def three(three_built: tuple[Store, list[Build]], tmp_path: Path) -> tuple[Store, list[Build]]:
    """A store of one's own with three builds: tiny, then a higher threshold, then another seed of examples."""
    shutil.copytree(three_built[0].root, tmp_path / "store")
    return Store(tmp_path / "store"), three_built[1]
