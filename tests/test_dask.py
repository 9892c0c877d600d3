"""The same build on the workers of a Dask cluster: the same dataset, whatever their number, and when one is killed."""

import importlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import dask
import numpy as np
import psutil
import pytest
from distributed import Client, LocalCluster
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from situatedgen.errors import ModelError, SettingsError, StoreError
from situatedgen.mining import search
from situatedgen.presets import load
from situatedgen.runtime import Runtime
from situatedgen.sources import sample_folder
from situatedgen.spreading import spreading
from storage import crew
from storage.dask_cluster import Dask, address_of, cluster
from storage.dask_worker import check, hearing
from storage.jobs import Job
from storage.outcomes import Build, Outcome
from storage.plain import build_dataset
from storage.planning import Order
from storage.store import Store

pytestmark = pytest.mark.slow
SECONDS = 580
FILES = ("data/train.jsonl", "data/dev.jsonl", "data/test.jsonl")
OWN = '''
import json
import os
import signal
import time
from pathlib import Path

from distributed import get_worker

from situatedgen.models import fakes
from storage.dask_worker import Telling

HERE = Path(__file__).parent


def note(*what):
    with (HERE / "notes.jsonl").open("a", encoding="utf-8") as stream:
        stream.write(json.dumps([*what, os.getpid()]) + "\\n")


class Tagger(fakes.FakeTagger):
    """Notes when it is loaded and from when to when it is asked, slowly."""

    def __init__(self, params, runtime):
        note("loaded", 0, 0)
        super().__init__(params, runtime)

    def tag(self, texts):
        began = time.time()
        time.sleep(0.1)
        answers = super().tag(texts)
        note("asked", began, time.time())
        return answers


class Fragile(fakes.FakeTagger):
    """Kills its process once, the first time that it is asked."""

    def tag(self, texts):
        try:
            (HERE / "killed").touch(exist_ok=False)
        except FileExistsError:
            return super().tag(texts)
        os.kill(os.getpid(), signal.SIGKILL)


class Short(fakes.FakeTagger):
    """Forgets an answer."""

    def tag(self, texts):
        return super().tag(texts)[1:]


def ended(parent, number):
    return number if os.getpid() == parent else os.kill(os.getpid(), signal.SIGKILL)


def tell(topic):
    Telling(topic, get_worker()).recalled("entities", 2)
    Telling(topic, get_worker()).advanced("entities", 3)
'''


@dataclass(frozen=True)
class Workers:
    """Two workers, and the folder of the models of one's own that they know."""

    client: Client
    folder: Path

    @property
    def runtime(self) -> Runtime:
        return Runtime(runner="dask", scheduler=address_of(self.client))

    def notes(self) -> list[tuple[str, float, float, int]]:
        """What models noted since this was last called: loaded or asked, from when to when, in which process."""
        path = self.folder / "notes.jsonl"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return [tuple(json.loads(line)) for line in lines]


@pytest.fixture(autouse=True)
def limit() -> Iterator[None]:
    """No test waits for ever, whatever becomes of a cluster."""

    def end(*_: object) -> None:
        raise TimeoutError(f"the test took more than {SECONDS} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    """Two workers that the tests share; at the end, no process is left of them."""
    folder = tmp_path_factory.mktemp("own")
    (folder / "own_units.py").write_text(OWN, encoding="utf-8")
    before = children()
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        patch.setenv("PYTHONPATH", os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")]))
        with cluster(Runtime(runner="dask", workers=2)) as client:
            yield Workers(client, folder)
    gone(before)


def children() -> set[int]:
    """The workers among the processes below this one."""
    below = psutil.Process().children(recursive=True)
    return {each.pid for each in below if "spawn_main" in " ".join(each.cmdline())}


def gone(before: set[int]) -> None:
    deadline = time.monotonic() + 20
    while children() - before and time.monotonic() < deadline:
        time.sleep(0.1)
    assert children() <= before


def built(folder: Path, runtime: Runtime, *overrides: str) -> tuple[Build, list[bytes]]:
    """A plain build of the sample with weightless models, and its files."""
    order = Order(load("tiny", overrides), sample_folder())
    build = build_dataset(order, store=Store(folder / "store"), out=folder / "dataset", runtime=runtime)
    return build, files(folder / "dataset")


def files(folder: Path) -> list[bytes]:
    return [(folder / name).read_bytes() for name in FILES]


def made(build: Build) -> list[tuple[str, object, int]]:
    return [(outcome.key, outcome.ref, outcome.computed) for outcome in build.outcomes]


def test_the_dataset_is_the_same_whatever_shares_the_work(
    tiny: Any, workers: Workers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One thread, two processes, one worker that comes and goes, two that are there."""
    monkeypatch.setattr(crew, "WORTHWHILE", 1)
    monkeypatch.setattr(crew, "LEAST", 10)
    runtimes = {
        "threads": Runtime(runner="threads"),
        "processes": Runtime(runner="processes", workers=2),
        "dask, one": Runtime(runner="dask", workers=1),
        "dask, two": workers.runtime,
    }
    before = children()
    for name, runtime in runtimes.items():
        build, data = built(tmp_path / name, runtime)
        assert made(build) == made(tiny.build), name
        assert data == files(tiny.out), name
    gone(before)


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 2**32 - 1), st.integers(0, 60), st.integers(0, 60), st.integers(2, 8), st.floats(0.01, 1))
def test_tiles_give_the_same_hits_on_the_workers(workers: Workers, seed, count, more, block, floor) -> None:
    vectors = np.random.default_rng(seed).standard_normal((count + more, 5)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    ones, others = vectors[:count], vectors[count:]
    searches = (
        partial(search.within, vectors, floor=floor, block=block),
        partial(search.between, ones, others, floor=floor, block=block),
    )
    here = [rows_of(find()) for find in searches]
    with spreading(Dask(workers.client)):
        assert [rows_of(find()) for find in searches] == here


def rows_of(hits: search.Hits) -> list[tuple[int, int, float]]:
    return sorted(zip(hits.left.tolist(), hits.right.tolist(), hits.similarity.tolist(), strict=True))


def test_a_block_of_vectors_is_sent_once(workers: Workers) -> None:
    """Three tiles of a matrix of two by two blocks: two blocks and three units are all that the scheduler is given."""
    before = workers.client.run_on_scheduler(seen)
    with spreading(Dask(workers.client)):
        assert len(search.within(np.eye(8, dtype=np.float32), floor=0.5, block=1)) == 0
    after = workers.client.run_on_scheduler(seen)
    assert sorted(key.partition("-")[0] for key in after - before) == ["array"] * 2 + ["unit"] * 3


def seen(dask_scheduler: Any) -> set[str]:
    """The keys of all that a scheduler was given so far."""
    return {each.key for each in dask_scheduler.transition_log}


def test_models_are_loaded_once_a_worker(workers: Workers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crew, "LEAST", 10)
    workers.notes()
    built(tmp_path, workers.runtime, "entities.tagger.name=own_units:Tagger")
    notes = workers.notes()
    asked = [pid for what, *_, pid in notes if what == "asked"]
    loaded = [pid for what, *_, pid in notes if what == "loaded"]
    assert len(asked) == crew.SHARES
    assert sorted(loaded) == sorted(set(asked)) == sorted(workers.client.run(os.getpid).values())


def test_a_killed_worker_costs_nothing_but_time(
    tiny: Any, workers: Workers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crew, "LEAST", 10)
    build, data = built(tmp_path, workers.runtime, "entities.tagger.name=own_units:Fragile")
    assert (workers.folder / "killed").exists()
    assert [outcome.ref for outcome in build.outcomes] == [outcome.ref for outcome in tiny.build.outcomes]
    assert data == files(tiny.out)


def test_work_that_kills_every_worker_is_done_here(workers: Workers, caplog: pytest.LogCaptureFixture) -> None:
    own_units = importlib.import_module("own_units")
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        cluster(Runtime(runner="dask", workers=1)) as one,
    ):
        found = dict(Dask(one).spread(own_units.ended, [(os.getpid(), number) for number in range(2)]))
    assert found == {0: 0, 1: 1}
    assert "a unit of work was lost by the cluster (KilledWorker); it is done in this process" in caplog.text


def test_work_goes_on_here_when_the_cluster_is_gone(caplog: pytest.LogCaptureFixture) -> None:
    local = LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0")
    with local, Client(local, set_as_default=False) as client:
        spread = Dask(client).spread(time.sleep, [(0.01,)] * 200)
        first = next(spread)
        local.close()
        rest = list(spread)
    assert sorted([first, *rest]) == [(number, None) for number in range(200)]


def test_a_wrong_answer_of_a_worker_is_refused(workers: Workers, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"the tagger answered \d+ texts, expected \d+"):
        built(tmp_path, workers.runtime, "entities.tagger.name=own_units:Short")


def test_a_scheduler_without_workers_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("storage.dask_cluster.WORKER_SECONDS", 0.5)
    with LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0") as empty:
        runtime = Runtime(runner="dask", scheduler=empty.scheduler_address)
        with (
            pytest.raises(SettingsError, match="has no workers; start some with `dask worker tcp://"),
            cluster(runtime),
        ):
            pass


def test_a_worker_refuses_a_job_whose_store_it_does_not_see_or_whose_code_it_has_not(tiny: Any, tmp_path: Path) -> None:
    record = tiny.store.record("masks", tiny.build.outcomes[12].key)
    job = Job(stage="masks", parts=record.parts, params=record.parts["params"], inputs=record.inputs)
    check(job, tiny.store)
    with pytest.raises(StoreError, match="does not see the store"):
        check(job, Store(tmp_path))
    other = job.model_copy(update={"parts": {**job.parts, "models": {"tagger": "another"}}})
    with pytest.raises(SettingsError, match="has other code for masks"):
        check(other, tiny.store)


@dataclass
class Noting:
    """An observer that writes down what it is told."""

    told: list[tuple[str, str, int]] = field(default_factory=list)

    def started(self, name: str, rows: int) -> None:
        self.told.append(("started", name, rows))

    def advanced(self, name: str, rows: int) -> None:
        self.told.append(("advanced", name, rows))

    def recalled(self, name: str, rows: int) -> None:
        self.told.append(("recalled", name, rows))

    def finished(self, outcome: Outcome) -> None:
        self.told.append(("finished", outcome.ref.name, outcome.ref.rows))


def test_whoever_sent_a_job_hears_how_far_it_is_until_it_is_back(tiny: Any, workers: Workers) -> None:
    own_units = importlib.import_module("own_units")
    outcome = next(each for each in tiny.build.outcomes if each.ref.name == "entities")
    with hearing(workers.client, "topic", noting := Noting()) as heard:
        heard.started("entities", 9)
        workers.client.submit(own_units.tell, "topic", pure=False).result()
        wait(lambda: len(noting.told) == 3)
        heard.finished(outcome)
        workers.client.submit(own_units.tell, "topic", pure=False).result()
        time.sleep(0.5)
    assert noting.told == [
        ("started", "entities", 9),
        ("recalled", "entities", 2),
        ("advanced", "entities", 3),
        ("finished", "entities", outcome.ref.rows),
    ]


def wait(condition: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert condition()


@pytest.fixture
def prefect_env(prefect_server: dict[str, str], workers: Workers) -> dict[str, str]:
    """The environment of a build on the shared server, in which the models of one's own are found."""
    return {**prefect_server, "PYTHONPATH": os.environ["PYTHONPATH"]}


@pytest.mark.prefect
def test_a_flow_on_a_cluster_outlives_a_worker(
    tiny: Any, workers: Workers, prefect_env: dict[str, str], tmp_path: Path
) -> None:
    """The worker that answers first is killed: it may be the one that runs the stage, or another."""
    workers.notes()
    command = [sys.executable, "-c", "from flows.cli.app import main; main()", "build", "--preset", "tiny"]
    given = [
        "--runner",
        "dask",
        "--scheduler",
        workers.runtime.scheduler,
        "--set",
        "entities.tagger.name=own_units:Tagger",
    ]
    with subprocess.Popen(
        [*command, *given], cwd=tmp_path, env=prefect_env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        path = workers.folder / "notes.jsonl"
        wait(lambda: path.exists() or process.poll() is not None, seconds=200)
        assert process.poll() is None, process.communicate()
        killed = json.loads(path.read_text(encoding="utf-8").splitlines()[0])[-1]
        os.kill(killed, signal.SIGKILL)
        printed, said = process.communicate(timeout=200)
    assert process.returncode == 0, said
    assert killed in [pid for *_, pid in workers.notes()]
    assert "24 artifacts, 0 reused" in printed
    assert files(tmp_path / "dataset") == files(tiny.out)


@pytest.mark.prefect
def test_one_at_a_time_uses_the_gpu(workers: Workers, prefect_env: dict[str, str]) -> None:
    """A model of one's own on the device `cuda` may use it, whatever this one does."""
    script = """
import json, logging, sys
import polars as pl
from prefect.client.orchestration import get_client
from prefect.client.schemas.actions import GlobalConcurrencyLimitCreate
from situatedgen.params import ModelParams
from situatedgen.runtime import Runtime
from storage.asking import Asked
from storage.dask_cluster import Dask, cluster
from storage.digests import json_digest
from storage.jobs import model_identity
from tasks.gpu import GpuSlot

params, runtime = ModelParams(name="own_units:Tagger"), Runtime(device="cuda", runner="dask", scheduler=sys.argv[1])
asked = Asked("tagger", params, runtime, json_digest(model_identity("tagger", params)), GpuSlot())
units = [(pl.DataFrame({"text": [f"Town {number}"]}),) for number in range(6)]
asked.answer(*units[0])
asked.answer(*units[1])
with get_client(sync_client=True) as client:
    client.create_global_concurrency_limit(GlobalConcurrencyLimitCreate(name="gpu", limit=1))
with cluster(runtime) as there:
    print(len(list(Dask(there).spread(asked.answer, units))))
"""
    workers.notes()
    done = subprocess.run(
        [sys.executable, "-c", script, workers.runtime.scheduler],
        env=prefect_env,
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )
    assert done.stdout.strip() == "6", done.stderr
    assert done.stderr.count("has no concurrency limit 'gpu'") == 1
    times = sorted((began, ended) for what, began, ended, _ in workers.notes() if what == "asked")
    assert len(times) == 8
    assert all(one[1] <= other[0] for one, other in pairwise(times))
