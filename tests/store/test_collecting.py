"""Collecting keeps exactly what the newest builds and the releases need, wherever it is cut short."""

import shutil
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from situatedgen.errors import StoreError
from storage.builds import Build, Outcome, all_builds, now, record_build
from storage.datasets import find_build
from storage.locks import BUILDS, shared_lock
from storage.maintenance.files import Kind, list_files
from storage.maintenance.gc import collect, plan_collection
from storage.maintenance.verify import repair, verify
from storage.memo import Memo
from storage.releases import pin, unpin
from storage.store import ArtifactRef, Store, json_digest, table_digest
from store_support import build, made

DIGEST = "0" * 64


def places(store: Store) -> set[str]:
    return {kept.place for kept in list_files(store.root)}


def collected(store: Store) -> set[str]:
    """Every file but the locks, which come and go with the commands themselves."""
    return {place for place in places(store) if not place.startswith("locks/")}


def test_collecting_keeps_the_newest_builds_and_all_that_lets_them_be_reused(
    three: tuple[Store, list[Build]],
) -> None:
    store, builds = three
    dropped = {f"artifacts/{ref.stage}/{ref.digest}.parquet" for ref in builds[1].refs("pairs")}
    collection = collect(store, keep=1)
    assert (collection.kept, collection.dropped) == (
        (builds[2].created,),
        (builds[0].created, builds[1].created),
    )
    assert not dropped & places(store)
    assert verify(store) == []
    assert made(build(store, "examples.seed=7")) == []


def test_what_is_pinned_survives(three: tuple[Store, list[Build]]) -> None:
    store, builds = three
    pin(store, "v1", builds[1])
    assert collect(store, keep=1).kept == (builds[1].created, builds[2].created)
    assert made(build(store, "pairs.min_similarity=0.95")) == []
    unpin(store, "v1")
    assert builds[1].created in collect(store, keep=1).dropped


def test_what_a_release_pins_survives_the_loss_of_its_build_record(three: tuple[Store, list[Build]]) -> None:
    store, builds = three
    pin(store, "v1", builds[0])
    min((store.root / "builds").iterdir()).unlink()
    collect(store, keep=0)
    assert find_build(store, "v1") == builds[0]
    assert made(build(store)) == []


def test_a_plan_deletes_nothing_and_collecting_deletes_what_was_planned(three: tuple[Store, list[Build]]) -> None:
    store, _ = three
    before = collected(store)
    plan = plan_collection(store, keep=1)
    assert collected(store) == before
    assert collect(store, keep=1) == plan
    assert collected(store) == before - {kept.place for kept in plan.files}
    assert plan_collection(store, keep=1).files == ()


def test_what_a_build_followed_is_kept_with_it(store: Store) -> None:
    table = pl.DataFrame({"statement_id": ["a"], "split": ["test"]})
    digest = table_digest(table)
    ref = store.save(table, stage="precedent", source="", key=digest, parts={"table": digest}, seconds=0.0).ref
    assert {kept.kind for kept in plan_collection(store, keep=1).files} == {Kind.ARTIFACTS, Kind.KEYS}
    following = find_build(store, "latest").model_copy(update={"created": now(), "precedent": ref})
    record_build(store, following)
    assert plan_collection(store, keep=1).files == (
        next(kept for kept in list_files(store.root) if kept.kind is Kind.BUILDS),
    )
    assert verify(store) == []


def test_leftovers_go_and_what_is_not_ours_stays(store: Store) -> None:
    (store.root / "tmp" / "half").write_text("half")
    (store.root / "artifacts" / "thesis.txt").write_text("mine")
    collection = collect(store, keep=1)
    assert [kept.place for kept in collection.files] == ["tmp/half"]
    assert [kept.place for kept in collection.unknown] == ["artifacts/thesis.txt"]
    assert (store.root / "artifacts" / "thesis.txt").read_text() == "mine"


def test_the_memo_of_a_model_that_no_build_asks_goes_once_another_build_is_finished(store: Store) -> None:
    old = Memo(store, "tagger", {"name": "spacy", "revision": "1"})
    old.append(pl.DataFrame({"text": ["Paris"]}))
    parts = {path.relative_to(store.root).as_posix() for path in old.folder.iterdir()}
    assert len(parts) == 2
    assert collect(store, keep=1).files == ()
    build(store)
    assert parts < {kept.place for kept in collect(store, keep=1).files}
    assert not old.folder.exists()


def test_where_a_key_record_is_lost_no_memo_goes(store: Store) -> None:
    Memo(store, "tagger", {"name": "spacy"}).append(pl.DataFrame({"text": ["Paris"]}))
    next((store.root / "keys" / "masks").iterdir()).unlink()
    collection = plan_collection(store, keep=1)
    assert (collection.certain, collection.files) == (False, ())


def test_nothing_is_deleted_while_a_build_runs(three: tuple[Store, list[Build]]) -> None:
    store, _ = three
    before = collected(store)
    with shared_lock(store.root, BUILDS):
        for delete in (lambda: collect(store, keep=0), lambda: repair(store)):
            with pytest.raises(StoreError, match="in use"):
                delete()
    assert collected(store) == before


def test_nothing_is_collected_where_a_release_cannot_be_read(three: tuple[Store, list[Build]]) -> None:
    store, builds = three
    pin(store, "v1", builds[0])
    (store.root / "releases" / "v1.json").write_text("{")
    with pytest.raises(StoreError, match=r"'v1'.*altered.*release v1 --delete"):
        collect(store, keep=1)


class Killed(BaseException):
    """Stands for a process that ends in the middle."""


@pytest.mark.parametrize("after", [0, 1, 3, 5, 8])
def test_collecting_that_is_cut_short_leaves_a_whole_store(
    three: tuple[Store, list[Build]], monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    store, builds = three
    unlink, turns = Path.unlink, iter(range(after))

    def dying(self: Path, missing_ok: bool = False) -> None:
        if next(turns, None) is None:
            raise Killed
        unlink(self, missing_ok=missing_ok)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", dying)
        with pytest.raises(Killed):
            collect(store, keep=1)
    assert verify(store) == []
    collect(store, keep=1)
    assert [each.created for each in all_builds(store)] == [builds[2].created]
    assert made(build(store, "examples.seed=7")) == []


def invented(number: int, artifacts: frozenset[int]) -> Build:
    """A build of a few artifacts, some of which other builds have too."""
    outcomes = tuple(
        Outcome(
            ref=ArtifactRef(stage="pairs", digest=json_digest(each), rows=1),
            key=json_digest(["key", each]),
            seconds=0.0,
            reused=False,
        )
        for each in sorted(artifacts)
    )
    return Build(created=f"2026-01-01T00:00:{number:02d}.000000Z", settings={}, sources="", outcomes=outcomes)


@pytest.fixture
def seven(tmp_path: Path) -> Path:
    """A store of seven artifacts with their key records, and no build yet."""
    store = Store(tmp_path / "seven")
    parts: dict[str, object] = {"code": DIGEST, "models": {}}
    for content in range(7):
        key, table = json_digest(["key", content]), pl.DataFrame({"number": [content]})
        record = store.save(table, stage="pairs", source="", key=key, parts=parts, seconds=0.0)
        store.path(record.ref).rename(store.path(invented(0, frozenset({content})).outcomes[0].ref))
    return store.root


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(
    contents=st.lists(st.frozensets(st.integers(0, 6), max_size=4), max_size=5),
    pinned=st.sets(st.integers(0, 4)),
    keep=st.integers(0, 5),
)
def test_exactly_what_kept_builds_reach_is_kept(
    seven: Path,
    tmp_path_factory: pytest.TempPathFactory,
    contents: list[frozenset[int]],
    pinned: set[int],
    keep: int,
) -> None:
    store = Store(shutil.copytree(seven, tmp_path_factory.mktemp("law") / "store"))
    builds = [invented(number, artifacts) for number, artifacts in enumerate(contents)]
    for number, each in enumerate(builds):
        record_build(store, each)
        if number in pinned:
            pin(store, f"v{number}", each)
    collect(store, keep=keep)
    staying = {number for number in range(len(builds)) if number in pinned or number >= len(builds) - keep}
    reached = frozenset[int]().union(*(contents[number] for number in staying))
    assert collected(store) == {
        *(f"artifacts/pairs/{json_digest(each)}.parquet" for each in reached),
        *(f"keys/pairs/{json_digest(['key', each])}.json" for each in reached),
        *(f"builds/2026-01-01T0000{number:02d}-000000Z.json" for number in staying),
        *(f"releases/v{number}.json" for number in pinned if number < len(builds)),
    }
