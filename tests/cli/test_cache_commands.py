"""The commands `cache` and `release`: what they print, and their exit codes."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import cli_support
from situatedgen.errors import StoreError
from storage.datasets import find_build
from storage.locks import BUILDS, shared_lock
from storage.store import Store


@pytest.fixture
def store(tiny: Any, tmp_path: Path) -> Store:
    """A store of one's own with the tiny build in it, and a leftover."""
    shutil.copytree(tiny.store.root, tmp_path / "store")
    (tmp_path / "store" / "tmp" / "half").write_text("half")
    return Store(tmp_path / "store")


def run(store: Store, *words: str, code: int = 0) -> str:
    return cli_support.run(*words, "--store", store.root, columns=300, code=code)


def test_ls_lists_shelves_and_builds(store: Store) -> None:
    text = run(store, "cache", "ls")
    created = find_build(store, "latest").created
    for shown in ("items", "embeddings", "memo tagger", "key records", "temporary files", created, "tiny"):
        assert shown in text
    found = json.loads(run(store, "cache", "ls", "--json"))
    assert found["files"] == len([path for path in store.root.rglob("*") if path.is_file()])
    assert [line["settings"] for line in found["builds"]] == ["tiny"]


def test_verify_fails_until_it_is_repaired_and_built_again(store: Store) -> None:
    assert "all files are intact" in run(store, "cache", "verify")
    path = next((store.root / "memo" / "tagger").glob("*/*.parquet"))
    path.write_bytes(path.read_bytes()[:-1])
    assert "truncated" in run(store, "cache", "verify", code=1)
    assert "1 file deleted" in run(store, "cache", "verify", "--repair")
    assert json.loads(run(store, "cache", "verify", "--json")) == []


def test_gc_only_says_what_would_go_until_told_yes(store: Store) -> None:
    assert "temporary files" in run(store, "cache", "gc")
    assert (store.root / "tmp" / "half").exists()
    run(store, "cache", "gc", "--yes")
    assert not (store.root / "tmp" / "half").exists()
    assert json.loads(run(store, "cache", "gc", "--json"))["files"] == []


def test_gc_refuses_while_a_build_runs(store: Store) -> None:
    with shared_lock(store.root, BUILDS), pytest.raises(StoreError, match="in use"):
        run(store, "cache", "gc", "--yes")


@pytest.mark.parametrize("command", [("cache", "ls"), ("cache", "verify"), ("cache", "gc"), ("release", "v1")])
def test_no_store_is_made_by_looking_after_it(tmp_path: Path, command: tuple[str, ...]) -> None:
    with pytest.raises(StoreError, match="no store at"):
        run(Store(tmp_path / "nowhere"), *command)
    assert not (tmp_path / "nowhere").exists()


def test_a_release_is_pinned_listed_and_forgotten(store: Store, tmp_path: Path) -> None:
    assert "no releases yet" in run(store, "release", "--list")
    created = find_build(store, "latest").created
    words = ("release", "v1", "--note", "as published", "--out", str(tmp_path / "releases"))
    assert f"release v1 pins build {created}" in run(store, *words)
    (listed,) = json.loads(run(store, "release", "--list", "--json"))
    assert (listed["name"], listed["note"], listed["build"]["created"]) == ("v1", "as published", created)
    assert "is unpinned" in run(store, "release", "v1", "--delete")
    assert json.loads(run(store, "release", "--list", "--json")) == []
