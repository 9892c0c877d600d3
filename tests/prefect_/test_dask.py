"""A build on the workers of a Dask cluster: the same dataset, also when one of them is killed."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from distributed import LocalCluster

from process_support import until
from situatedgen.errors import SettingsError, StoreError
from situatedgen.presets import load
from situatedgen.runtime import Runtime
from situatedgen.sources import sample_folder
from storage.requests import BuildContext, BuildRequest
from storage.store import Store
from store_support import ARTIFACTS
from tasks import runners

FILES = ("data/train.jsonl", "data/dev.jsonl", "data/test.jsonl")
OWN = '''
import json
import os
import time
from pathlib import Path

from situatedgen.models import fakes


def slowly(answer, texts):
    """Note from when to when a model is asked, and in which process."""
    began = time.time()
    with (Path(__file__).parent / "begun").open("a") as stream:
        stream.write(f"{os.getpid()}\\n")
    time.sleep(1)
    answers = answer(texts)
    with (Path(__file__).parent / "notes.jsonl").open("a", encoding="utf-8") as stream:
        stream.write(json.dumps([began, time.time(), os.getpid()]) + "\\n")
    return answers


class Tagger(fakes.FakeTagger):
    def tag(self, texts):
        return slowly(super().tag, texts)


class Parser(fakes.FakeParser):
    def parse(self, texts):
        return slowly(super().parse, texts)


class Encoder(fakes.FakeEncoder):
    def encode(self, texts):
        return slowly(super().encode, texts)
'''


@dataclass(frozen=True)
class Cluster:
    """Two workers, the environment of a build on them, and the folder of models of one's own that they know."""

    address: str
    environment: dict[str, str]
    folder: Path

    def start(self, out: Path, *options: str) -> "subprocess.Popen[str]":
        """A build of the sample on the cluster."""
        command = [sys.executable, "-c", "from flows.cli.app import main; main()", "build", "--preset", "tiny"]
        command += ["--runner", "dask", "--scheduler", self.address]
        return subprocess.Popen(
            [*command, *options],
            cwd=out,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def notes(self) -> list[tuple[float, float, int]]:
        """When a model of one's own was asked since this was last called: from, to, and in which process."""
        path = self.folder / "notes.jsonl"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        for each in (path, self.folder / "begun"):
            each.unlink(missing_ok=True)
        return [tuple(json.loads(line)) for line in lines]


@pytest.fixture(scope="module")
def cluster(prefect_server: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    folder = tmp_path_factory.mktemp("own")
    (folder / "own_units.py").write_text(OWN, encoding="utf-8")
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    environment = {**prefect_server, "PYTHONPATH": path}
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        for name, value in environment.items():
            patch.setenv(name, value)
        local = LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, memory_limit=0
        )
        with local:
            yield Cluster(local.scheduler_address, environment, folder)


def files(folder: Path) -> list[bytes]:
    return [(folder / name).read_bytes() for name in FILES]


@pytest.mark.prefect
@pytest.mark.slow
def test_a_killed_worker_costs_nothing_but_time(tiny: Any, cluster: Cluster, tmp_path: Path) -> None:
    """The worker that is asked first is killed in the middle of its batch; the dataset is the same."""
    cluster.notes()
    begun = cluster.folder / "begun"
    with cluster.start(tmp_path, "--set", "entities.tagger.name=own_units:Tagger") as process:
        until(lambda: begun.exists() or process.poll() is not None)
        assert process.poll() is None, process.communicate()
        killed = int(begun.read_text().split()[0])
        os.kill(killed, signal.SIGKILL)
        printed, said = process.communicate(timeout=600)
    assert process.returncode == 0, said
    assert killed not in [pid for *_, pid in cluster.notes()]
    assert f"{ARTIFACTS} artifacts" in printed  # those whose place was lost with the worker are found in the store
    assert files(tmp_path / "dataset") == files(tiny.out)


@pytest.mark.prefect
@pytest.mark.slow
def test_one_batch_at_a_time_uses_the_gpu(cluster: Cluster, prefect_client: Any, tmp_path: Path) -> None:
    """Models of one's own on the device `cuda` may use it: their batches carry the tag, and hold the limit in turn.

    Nothing else keeps the parser and the encoder apart: both need the masks alone, and there are two workers.
    """
    from prefect.client.schemas.actions import GlobalConcurrencyLimitCreate  # noqa: PLC0415
    from prefect.client.schemas.filters import TaskRunFilter  # noqa: PLC0415

    prefect_client.create_global_concurrency_limit(GlobalConcurrencyLimitCreate(name="gpu", limit=1))
    cluster.notes()
    own = ("--set", "parses.parser.name=own_units:Parser", "--set", "embeddings.encoder.name=own_units:Encoder")
    with cluster.start(tmp_path, "--device", "cuda", *own) as process:
        _, said = process.communicate(timeout=600)
    assert process.returncode == 0, said
    times = sorted((began, ended) for began, ended, _ in cluster.notes())
    assert len(times) == 2
    assert all(one[1] <= other[0] for one, other in pairwise(times))
    on_gpu = TaskRunFilter.model_validate({"tags": {"all_": ["gpu"]}})
    until(lambda: len(prefect_client.read_task_runs(task_run_filter=on_gpu)) == 2)
    tagged = [run.name for run in prefect_client.read_task_runs(task_run_filter=on_gpu)]
    assert sorted(tagged) == ["embeddings 1 of 1", "parses 1 of 1"]


@pytest.fixture
def context(tiny: Any) -> BuildContext:
    """The context of a build that another process started."""
    order = BuildRequest(load("tiny", ()), sample_folder())
    return replace(BuildContext.start(order, tiny.store, Runtime()), started_by="elsewhere:1")


def test_a_worker_with_other_code_refuses(context: BuildContext) -> None:
    other = replace(context, code={**context.code, "items": "0" * 64})
    with pytest.raises(SettingsError, match=r"has different code or models for items .* install the same situatedgen"):
        other.job("items", {}, source="creak")


def test_a_worker_that_does_not_see_the_store_refuses(context: BuildContext, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot see the store"):
        replace(context, store=Store(tmp_path)).job("items", {}, source="creak")


def test_an_observer_stays_in_the_process_that_it_watches(context: BuildContext) -> None:
    import pickle  # noqa: PLC0415

    class Local:
        """An observer that cannot be sent to another process."""

    sent = pickle.loads(pickle.dumps(replace(context, observer=Local())))  # noqa: S301  # made here
    assert (sent.request, sent.code) == (context.request, context.code)
    assert type(sent.observer).__name__ == "SilentObserver"


def test_a_scheduler_that_does_not_answer_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runners, "CONNECT_SECONDS", 1)
    with pytest.raises(SettingsError, match=r"no Dask scheduler responds at tcp://127\.0\.0\.1:9"):
        runners.runner_for(Runtime(runner="dask", scheduler="tcp://127.0.0.1:9"))
