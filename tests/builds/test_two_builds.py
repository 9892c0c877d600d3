"""Two builds at once on one store: both are right, and what one has made the other takes over."""

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from process_support import Script, running
from situatedgen.errors import StoreError
from storage.builds import Build
from storage.filesystem import BucketPath, StorePath
from storage.locks import BUILDS, lock, shared_lock
from storage.maintenance.gc import collect
from storage.maintenance.verify import verify
from storage.store import Store
from store_support import built, digests

WORKER = """
import json, os, sys
from functools import partial
from pathlib import Path

from situatedgen.presets import load
from situatedgen.runtime import Runtime
from storage import memo
from storage.requests import BuildRequest
from storage.plain import build
from storage.store import Store

memo.BATCH = 8
print("ready", flush=True)
for line in sys.stdin:
    told = json.loads(line)
    sys.path[:0] = [told["own"]]
    os.environ.update(told["environment"], ASKED=f"{told['own']}/asked.jsonl", SLOWLY="0.05")
    store = Store.at(told["store"])
    order = BuildRequest(load("tiny", told["overrides"]), Path(told["sources"]))
    finished = build(order, store, Runtime())
    print(finished.model_dump_json(), flush=True)
"""


ON_SERVERS = pytest.mark.parametrize("place", ["disk", "bucket"], indirect=True)
"""The places that several processes see."""


@pytest.fixture(scope="module")
def workers() -> Iterator[tuple[Script, Script]]:
    """Two processes that build when told to."""
    with running(WORKER) as one, running(WORKER) as other:
        assert [worker.read() for worker in (one, other)] == ["ready", "ready"]
        yield one, other


@pytest.fixture
def grown(few: Path, tmp_path: Path) -> Path:
    """The small sources with three more claims, and one that a question asks for too."""
    shutil.copytree(few, tmp_path / "grown")
    claims = [
        "Egypt has many tall mountains.",
        "Farmers in Egypt sell fresh fruit.",
        "Breakfast is served late in Cuba.",
    ]
    with (tmp_path / "grown" / "creak" / "dev.json").open("a") as stream:
        stream.writelines(json.dumps({"sentence": claim, "label": "true"}) + "\n" for claim in claims)
    return tmp_path / "grown"


def alone(folder: Path, sources: Path, overrides: Sequence[str]) -> Build:
    return built(Store(folder), sources, *overrides)


def begin(worker: Script, store: StorePath, own: Path, sources: Path, overrides: Sequence[str]) -> None:
    order = {"store": str(store), "own": str(own), "sources": str(sources), "overrides": list(overrides)}
    service = {name: value for name, value in os.environ.items() if name.startswith("AWS")}
    worker.send(json.dumps({**order, "environment": service}))


def together(
    workers: tuple[Script, Script], store: StorePath, own: Path, orders: Sequence[tuple[Path, Sequence[str]]]
) -> list[Build]:
    for worker, order in zip(workers, orders, strict=True):
        begin(worker, store, own, *order)
    return [Build.model_validate_json(worker.read()) for worker in workers]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "overrides"),
    [
        ("disk", ()),  # the very same: each artifact is made once
        ("disk", ("examples.seed=3",)),  # parts at the last stage
        ("disk", ("masks.max_masks=4", "candidates.floor=0.6")),  # asks the encoder for fewer texts
        ("disk", ("statements.min_confidence=0.1",)),  # parts at once, and still asks the models the same
        ("bucket", ()),
        ("bucket", ("masks.max_masks=4", "statements.min_confidence=0.1")),
    ],
    indirect=["place"],
)
def test_two_builds_at_once_are_right_and_ask_nothing_twice_on_a_disk(
    workers: tuple[Script, Script],
    counted: Any,
    few: Path,
    place: StorePath,
    tmp_path: Path,
    overrides: tuple[str, ...],
) -> None:
    orders = [(few, counted.OVERRIDES), (few, (*counted.OVERRIDES, *overrides))]
    found = together(workers, place, counted.folder, orders)
    asked = counted.asked()
    expected = [alone(tmp_path / f"alone-{number}", *order) for number, order in enumerate(orders)]
    assert [digests(each) for each in found] == [digests(each) for each in expected]
    assert set(asked) == set(counted.asked())
    assert verify(Store(place)) == []
    if isinstance(place, BucketPath):
        return  # it has no locks: the same may be computed twice
    assert len(asked) == len(set(asked))
    for one, other in zip(found[0].outcomes, found[1].outcomes, strict=True):
        assert (one.key == other.key) == (one.reused != other.reused)


@pytest.mark.slow
@ON_SERVERS
def test_two_builds_of_different_sources_are_right(
    workers: tuple[Script, Script], counted: Any, few: Path, grown: Path, place: StorePath, tmp_path: Path
) -> None:
    orders = [(few, counted.OVERRIDES), (grown, counted.OVERRIDES)]
    found = together(workers, place, counted.folder, orders)
    asked = counted.asked()
    expected = [alone(tmp_path / f"alone-{number}", *order) for number, order in enumerate(orders)]
    assert [digests(each) for each in found] == [digests(each) for each in expected]
    assert isinstance(place, BucketPath) or len(asked) == len(set(asked))
    assert set(asked) == set(counted.asked())


@pytest.mark.slow
@ON_SERVERS
def test_a_killed_build_leaves_nothing_half_visible_and_the_other_goes_on(
    counted: Any, few: Path, place: StorePath, tmp_path: Path, workers: tuple[Script, Script]
) -> None:
    order = (few, counted.OVERRIDES)
    with running(WORKER) as doomed:
        assert doomed.read() == "ready"
        for worker in (doomed, workers[0]):
            begin(worker, place, counted.folder, *order)
        doomed.wait_until((counted.folder / "asked.jsonl").exists)
        doomed.kill()
    assert digests(Build.model_validate_json(workers[0].read())) == digests(alone(tmp_path / "alone", *order))
    assert verify(Store(place)) == []


def test_nothing_is_collected_while_a_build_runs(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with shared_lock(store.root, BUILDS), pytest.raises(StoreError, match="in use"):
        collect(store, keep=1)
    with (
        lock(store.root, BUILDS),
        pytest.raises(StoreError, match="in use"),
        shared_lock(store.root, BUILDS, wait=False),
    ):
        pass
