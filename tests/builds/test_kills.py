"""Builds killed at any moment: the next one completes, and gives what an undisturbed one gives."""

import os
import random
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from process_support import Script, running
from storage.maintenance.gc import collect
from storage.maintenance.verify import verify
from storage.store import Store
from store_support import built

pytestmark = pytest.mark.slow
MOMENTS = 25
STEPS = 10
FILES = ("data/train.jsonl", "data/dev.jsonl", "data/test.jsonl", "stats.json")

# Forks a build for every line it reads. All that is slow is imported before, apart from what would start the
# threads of Polars, which do not live on in a fork.
DRIVER = """
import os, signal, sys, time, traceback
from pathlib import Path

import matplotlib.pyplot, nltk, numpy, polars, pydantic, rich.table
import situatedgen.presets, situatedgen.sources
from storage import keys as fingerprint

for name in "items statements entities keywords masks embeddings candidates pairs communities splits examples".split():
    fingerprint.symbol_digests(f"situatedgen.stages.{name}:{name}")
for name in "Converter Tagger Nouns Encoder Detector".split():
    fingerprint.symbol_digests(f"situatedgen.models.fakes:Fake{name}")


def main():
    for line in sys.stdin:
        folder, moment, step = line.split()
        began, told = os.pipe()
        if not (child := os.fork()):
            try:
                run(Path(folder), int(step), told)
            except BaseException:
                traceback.print_exc()
            os._exit(1)
        os.close(told)
        os.read(began, 1)
        start = time.monotonic()
        if float(moment):
            time.sleep(float(moment))
            os.kill(child, signal.SIGKILL)
        status = os.waitpid(child, 0)[1]
        steps = os.read(began, 99).decode() or "0"
        os.close(began)
        print(os.waitstatus_to_exitcode(status), time.monotonic() - start, steps, flush=True)


def run(folder, step, told):
    from situatedgen.presets import load
    from situatedgen.dataset import figures
    from situatedgen.runtime import Runtime
    from storage import memo
    from storage.plain import build_dataset
    from storage.requests import BuildRequest
    from storage.store import Store

    figures.draw_figures = lambda *_: {}
    memo.BATCH = 4
    for owner, name in ((os, "fsync"), (Path, "replace"), (Path, "unlink"), (Path, "rename")):
        setattr(owner, name, dying(getattr(owner, name), step))
    os.write(told, b"!")
    order = BuildRequest(load("tiny", ()), Path(sys.argv[1]))
    build_dataset(order, store=Store(folder / "store"), out=folder / "dataset", runtime=Runtime())
    os.write(told, str(STEPS[0]).encode())
    os._exit(0)


STEPS = [0]


def dying(function, step):
    def counted(*arguments, **options):
        STEPS[0] += 1
        if STEPS[0] == step:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*arguments, **options)

    return counted


main()
"""


@dataclass(frozen=True)
class Driver:
    """A process that builds when told to, and can be told when to die."""

    script: Script

    def build(self, folder: Path, *, moment: float = 0, step: int = 0) -> tuple[int, float, int]:
        """How a build ended, after how many seconds and steps; killed at a moment, or at a step on the disk."""
        folder.mkdir(exist_ok=True)
        self.script.send(f"{folder} {moment} {step}")
        status, seconds, steps = self.script.read().split()
        assert int(status) in (0, -9), self.script.errors()
        return int(status), float(seconds), int(steps)


@pytest.fixture(scope="module")
def driver(few: Path) -> Iterator[Driver]:
    with running(DRIVER, few, env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}) as script:
        yield Driver(script)


@dataclass(frozen=True)
class Undisturbed:
    """The dataset of a build that nobody killed, and how many seconds and steps on the disk it took."""

    dataset: dict[str, bytes]
    seconds: float
    steps: int


@pytest.fixture(scope="module")
def undisturbed(driver: Driver, tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    folder = tmp_path_factory.mktemp("undisturbed")
    status, seconds, steps = driver.build(folder)
    assert status == 0
    return Undisturbed(dataset(folder), seconds, steps)


@pytest.fixture(autouse=True)
def no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("situatedgen.dataset.figures.draw_figures", lambda *_: {})


def dataset(folder: Path) -> dict[str, bytes]:
    return {name: (folder / "dataset" / name).read_bytes() for name in FILES}


def recovered(folder: Path, sources: Path) -> dict[str, bytes]:
    """The dataset of the next build; afterwards the store is whole and nothing is left over in it."""
    store = Store(folder / "store")
    leftovers = {path.parent.name for path in store.root.rglob("*") if len(path.name) == 32}
    built(store, sources, out=folder / "dataset")
    collect(store, keep=1)
    assert leftovers <= {"tmp"}
    assert list((store.root / "tmp").iterdir()) == []
    assert verify(store) == []
    assert sorted(path.name for path in folder.iterdir()) == ["dataset", "store"]
    return dataset(folder)


def test_a_build_killed_at_any_moment_is_completed_by_the_next(
    driver: Driver, undisturbed: Undisturbed, few: Path, tmp_path: Path
) -> None:
    chance = random.Random(9)
    for number in range(MOMENTS):
        moment, folder = undisturbed.seconds * (number + chance.random()) / MOMENTS, tmp_path / str(number)
        for _ in range(40):
            status = driver.build(folder, moment=moment)[0]
            if status == -9:
                break
            # It was done sooner than the undisturbed one.
            shutil.rmtree(folder)
            moment *= 0.8
        assert status == -9
        assert recovered(folder, few) == undisturbed.dataset, f"killed after {moment} s"


def test_a_build_killed_at_any_step_on_the_disk_is_completed_by_the_next(
    driver: Driver, undisturbed: Undisturbed, few: Path, tmp_path: Path
) -> None:
    """Between two steps nothing on the disk changes but files that nobody reads, so steps stand for all moments."""
    chance = random.Random(3)
    for step in sorted(chance.sample(range(1, undisturbed.steps + 1), STEPS)):
        assert driver.build(tmp_path / str(step), step=step)[0] == -9
        assert recovered(tmp_path / str(step), few) == undisturbed.dataset, f"killed at step {step}"


def test_a_build_killed_again_and_again_gets_on_every_time(
    driver: Driver, undisturbed: Undisturbed, few: Path, tmp_path: Path
) -> None:
    folder, lives = tmp_path / "killed", undisturbed.steps // 30
    ended = next(lived for lived in range(lives) if driver.build(folder, step=60)[0] == 0)
    assert ended > 1
    assert recovered(folder, few) == undisturbed.dataset
