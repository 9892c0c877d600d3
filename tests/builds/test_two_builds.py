"""Two builds at once on one store: both are right, and what one has made the other takes over."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

from situatedgen.errors import StoreError
from situatedgen.presets import load
from situatedgen.runtime import Runtime
from storage.builds import Build
from storage.filesystem import BucketPath, StorePath
from storage.locks import BUILDS, lock, shared_lock
from storage.maintenance.gc import collect
from storage.maintenance.verify import verify
from storage.plain import build
from storage.requests import BuildRequest
from storage.store import Store

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


PATIENCE = 300
"""Seconds after which a process that never ends is killed, and its tests fail."""


ON_SERVERS = pytest.mark.parametrize("place", ["disk", "bucket"], indirect=True)
"""The places that several processes see."""


class Worker:
    """A process that builds when told to."""

    def __init__(self) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([sys.executable, "-c", WORKER], stdin=pipe, stdout=pipe, text=True)
        self.patience = Timer(PATIENCE, self.process.kill)
        self.patience.start()

    def begin(self, order: Mapping[str, object]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()

    def told(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def end(self) -> None:
        self.patience.cancel()
        self.process.kill()
        self.process.communicate()


@pytest.fixture(scope="module")
def workers() -> Iterator[tuple[Worker, Worker]]:
    both = (Worker(), Worker())
    assert [worker.told() for worker in both] == ["ready", "ready"]
    yield both
    for worker in both:
        worker.end()


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


def digests(finished: Build) -> dict[str, str]:
    return {outcome.ref.name: outcome.ref.digest for outcome in finished.outcomes}


def alone(folder: Path, sources: Path, overrides: Sequence[str]) -> Build:
    store = Store(folder)
    return build(BuildRequest(load("tiny", overrides), sources), store, Runtime())


def order_of(store: StorePath, own: Path, sources: Path, overrides: Sequence[str]) -> dict[str, object]:
    told = {"store": str(store), "own": str(own), "sources": str(sources), "overrides": list(overrides)}
    return {**told, "environment": {name: os.environ[name] for name in os.environ if name.startswith("AWS")}}


def together(
    workers: tuple[Worker, Worker], store: StorePath, own: Path, orders: Sequence[tuple[Path, Sequence[str]]]
) -> list[Build]:
    for worker, (sources, overrides) in zip(workers, orders, strict=True):
        worker.begin(order_of(store, own, sources, overrides))
    return [Build.model_validate_json(worker.told()) for worker in workers]


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
    workers: tuple[Worker, Worker],
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
    workers: tuple[Worker, Worker], counted: Any, few: Path, grown: Path, place: StorePath, tmp_path: Path
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
    counted: Any, few: Path, place: StorePath, tmp_path: Path, workers: tuple[Worker, Worker]
) -> None:
    doomed, order = Worker(), (few, counted.OVERRIDES)
    assert doomed.told() == "ready"
    for worker in (doomed, workers[0]):
        worker.begin(order_of(place, counted.folder, *order))
    while not (counted.folder / "asked.jsonl").exists():
        os.sched_yield()
    doomed.end()
    assert digests(Build.model_validate_json(workers[0].told())) == digests(alone(tmp_path / "alone", *order))
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
