"""Care of a store: what it holds, who needs it, and whether all of it is whole."""

import shutil
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from situatedgen.pipeline import STAGES
from situatedgen.presets import load
from storage.builds import Build, all_builds
from storage.datasets import find_build
from storage.maintenance.files import Kind, kind_of
from storage.maintenance.gc import plan_collection
from storage.maintenance.inventory import inventory, settings_name
from storage.maintenance.verify import Fault, repair, verify
from storage.releases import pin
from storage.store import Store
from store_support import build

DIGEST = "0" * 64


def harmed(path: Path, harm: str) -> None:
    content = path.read_bytes()
    middle = len(content) // 2
    if harm == "delete":
        path.unlink()
    elif harm == "truncate":
        path.write_bytes(content[:-7])
    elif harm == "empty":
        path.write_bytes(b"")
    else:
        path.write_bytes(content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :])


@pytest.mark.parametrize(
    ("place", "kind"),
    [
        (f"artifacts/pairs/{DIGEST}.parquet", Kind.ARTIFACTS),
        (f"artifacts/pairs/{DIGEST}.parquet.bak", Kind.UNKNOWN),  # a copy that someone made
        ("artifacts/notes.txt", Kind.UNKNOWN),
        (f"keys/pairs/{DIGEST}.json", Kind.KEYS),
        (f"memo/tagger/{DIGEST}/{DIGEST}.parquet", Kind.MEMO),
        (f"memo/tagger/{DIGEST}/identity.json", Kind.MEMO),
        (f"memo/tagger/{DIGEST}/mine.parquet", Kind.UNKNOWN),
        ("builds/2026-01-01T000000-000000Z.json", Kind.BUILDS),
        ("releases/v1.0.json", Kind.RELEASES),
        ("locks/builds.lock", Kind.LOCKS),
        (f"prefect/{DIGEST}", Kind.RESULTS),
        (f"code/{DIGEST}.json", Kind.CODE),
        ("tmp/anything/at-all", Kind.LEFTOVERS),
        ("thesis.txt", Kind.UNKNOWN),
    ],
)
def test_a_file_is_known_by_its_place(place: str, kind: Kind) -> None:
    assert kind_of(place) is kind


def test_every_file_that_a_build_writes_is_known_and_needed_by_it(store: Store) -> None:
    found = inventory(store)
    assert found.unknown == ()
    assert [(shelf.name or shelf.kind, shelf.unused) for shelf in found.shelves if shelf.unused] == []
    assert plan_collection(store, keep=1).files == ()


def test_the_inventory_counts_every_file_once(three: tuple[Store, list[Build]]) -> None:
    store, _ = three
    found = inventory(store)
    on_disk = [path for path in store.root.rglob("*") if path.is_file()]
    assert sum(shelf.files for shelf in found.shelves) == found.files == len(on_disk)
    assert sum(shelf.size for shelf in found.shelves) == found.size == sum(path.stat().st_size for path in on_disk)


def test_the_inventory_says_who_needs_what(three: tuple[Store, list[Build]]) -> None:
    store, builds = three
    pin(store, "v1", builds[1])
    shelves = {shelf.name: shelf for shelf in inventory(store).shelves if shelf.kind == "artifacts"}
    assert list(shelves) == list(STAGES)
    pairs = {ref.digest: ref.rows for each in builds for ref in each.refs("pairs")}
    shown = shelves["pairs"]
    assert (shown.files, shown.rows) == (len(pairs), sum(pairs.values())) == (2, shown.rows)
    assert (shown.builds, shown.latest, shown.releases) == (3, True, ("v1",))


def test_a_memo_is_shown_by_its_model(store: Store) -> None:
    shelves = [shelf for shelf in inventory(store).shelves if shelf.kind == "memo"]
    assert [shelf.name.split("/")[0] for shelf in shelves] == [
        "converter",
        "encoder",
        "judge",
        "nouns",
        "parser",
        "tagger",
    ]
    assert {shelf.model for shelf in shelves} == {"fake"}


def test_what_only_a_build_needs_is_what_goes_without_it(three: tuple[Store, list[Build]]) -> None:
    store, builds = three
    lines = {line.created: line for line in inventory(store).builds}
    pin(store, "first", builds[0])
    freed = plan_collection(store, keep=1).size
    assert list(lines) == [each.created for each in builds]
    assert lines[builds[1].created].own_size == freed > 0


@pytest.mark.parametrize(
    ("overrides", "name"),
    [
        ((), "tiny"),
        (("pairs.min_similarity=0.95",), "tiny, pairs.min_similarity=0.95"),
        (
            ("pairs.min_similarity=0.95", "examples.seed=7", "splits.seed=7"),
            "tiny, 3 params changed",
        ),  # more than are named
    ],
)
def test_settings_go_by_the_nearest_preset(overrides: tuple[str, ...], name: str) -> None:
    assert settings_name(load("tiny", overrides).model_dump(mode="json")) == name


def test_a_whole_store_has_no_problem(three: tuple[Store, list[Build]]) -> None:
    store, builds = three
    pin(store, "v1", builds[0])
    steps: list[tuple[int, int]] = []
    assert verify(store, watch=lambda done, total: steps.append((done, total))) == []
    assert steps[-1][0] == steps[-1][1] > 0


FIRST: dict[str, Callable[[Store], Path]] = {
    "artifact": lambda store: store.path(all_builds(store)[0].refs("masks")[0]),
    "key": lambda store: next((store.root / "keys" / "masks").iterdir()),
    "memo": lambda store: next((store.root / "memo" / "tagger").glob("*/*.parquet")),
    "card": lambda store: next((store.root / "memo" / "tagger").glob("*/identity.json")),
    "code": lambda store: min((store.root / "code").iterdir()),
    "build": lambda store: next((store.root / "builds").iterdir()),
}


@pytest.mark.parametrize(
    ("harm", "fault"),
    [("truncate", Fault.TRUNCATED), ("empty", Fault.TRUNCATED), ("flip", Fault.ALTERED)],
)
@pytest.mark.parametrize("victim", FIRST)
def test_a_harmed_file_is_named_and_nothing_else(store: Store, victim: str, harm: str, fault: Fault) -> None:
    path = FIRST[victim](store)
    harmed(path, harm)
    assert [(problem.place, problem.fault) for problem in verify(store)] == [
        (path.relative_to(store.root).as_posix(), fault)
    ]


@pytest.mark.parametrize("harm", ["truncate", "flip", "delete"])
@pytest.mark.parametrize("victim", FIRST)
def test_what_is_repaired_is_made_again(store: Store, tiny: Any, victim: str, harm: str) -> None:
    harmed(FIRST[victim](store), harm)
    repair(store)
    again = build(store)
    assert [outcome.ref for outcome in again.outcomes] == [outcome.ref for outcome in tiny.build.outcomes]
    assert verify(store) == []


def test_a_missing_artifact_says_who_names_it(store: Store) -> None:
    pin(store, "v1", find_build(store, "latest"))
    path, created = FIRST["artifact"](store), find_build(store, "latest").created
    path.unlink()
    (problem,) = verify(store)
    assert asdict(problem) == {
        "place": path.relative_to(store.root).as_posix(),
        "fault": Fault.MISSING,
        "detail": f"needed by a key record, build {created}, release v1",
        "remove": (f"keys/masks/{FIRST['key'](store).name}",),
    }


def test_an_artifact_under_another_name_is_altered(store: Store) -> None:
    path = FIRST["artifact"](store)
    shutil.copy(path, path.with_name(f"{DIGEST}.parquet"))
    assert [(problem.place, problem.fault) for problem in verify(store)] == [
        (f"artifacts/masks/{DIGEST}.parquet", Fault.ALTERED)
    ]


def test_a_record_that_knows_other_bytes_is_stale(store: Store) -> None:
    record, place = store.records("masks")[0], f"keys/masks/{DIGEST}.json"
    stale = record.model_copy(update={"key": DIGEST, "file_digest": DIGEST})
    store.write_json(store.root / place, stale.model_dump(mode="json"))
    assert [(problem.place, problem.remove) for problem in verify(store)] == [(place, (place,))]


def test_a_cut_prefect_result_is_found(store: Store) -> None:
    (store.root / "prefect").mkdir()
    (store.root / "prefect" / DIGEST).write_text('{"metadata": {')
    assert [(problem.place, problem.fault) for problem in repair(store)] == [(f"prefect/{DIGEST}", Fault.TRUNCATED)]
    assert verify(store) == []


def test_repair_leaves_a_harmed_release_to_a_person(store: Store) -> None:
    pin(store, "v1", find_build(store, "latest"))
    harmed(store.root / "releases" / "v1.json", "flip")
    assert [(problem.place, problem.remove) for problem in repair(store)] == [("releases/v1.json", ())]
    assert (store.root / "releases" / "v1.json").exists()
