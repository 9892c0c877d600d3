"""Model work in batches: what nobody has answered is asked once, batch by batch, by whatever runs them."""

import importlib
import os
import sys
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from process_support import run_python, until
from situatedgen.errors import ModelError, SettingsError
from situatedgen.presets import load
from situatedgen.runtime import Runtime
from storage import batches, plain
from storage.batches import ask, pending
from storage.builds import Build, Outcome
from storage.plain import build
from storage.requests import BuildContext, BuildRequest
from storage.runner import run_stage
from storage.store import Store

OWN = '''
import os
import signal
from pathlib import Path

from situatedgen.models import fakes
from storage.batches import ask

HERE = Path(__file__).parent


def ask_once_killed(batch, store, runtime):
    """Ask a model, but kill the process that does so first, where it is not the one that builds."""
    if os.environ["BUILDS"] != str(os.getpid()):
        (HERE / "killed").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return ask(batch, store, runtime)


class Flaky(fakes.FakeTagger):
    """Fails once, over the first batch of the texts."""

    def tag(self, texts):
        if "Farmers in Brazil sell fresh fruit." in texts and not (HERE / "failed").exists():
            (HERE / "failed").touch()
            raise RuntimeError("out of memory")
        return super().tag(texts)
'''


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with models of one's own, which this process and those that it starts can import."""
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "own_batches.py").write_text(OWN, encoding="utf-8")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")]))
    yield folder
    sys.modules.pop("own_batches", None)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> int:
    """Batches so small that few texts make several."""
    monkeypatch.setattr(batches, "SIZE", 9)
    return 9


def started(few: Path, folder: Path, *overrides: str) -> tuple[BuildContext, list[Outcome]]:
    """A build whose statements are there, and whose entities are not."""
    context = BuildContext.start(BuildRequest(load("tiny", overrides), few), Store(folder), Runtime())
    items = [run_stage(context, "items", {}, source=source) for source in context.sources]
    made = [run_stage(context, "statements", {"items": items}, source=source) for source in context.sources]
    return context, made


def test_texts_that_nobody_answered_are_cut_into_batches(few: Path, tmp_path: Path, small: int) -> None:
    context, statements = started(few, tmp_path)
    found = pending(context, "entities", {"statements": statements})
    assert [(batch.name, batch.rows) for batch in found] == [
        ("entities 1 of 5", 9),
        ("entities 2 of 5", 9),
        ("entities 3 of 5", 9),
        ("entities 4 of 5", 9),
        ("entities 5 of 5", 4),
    ]
    for batch in found[:2]:
        ask(batch, context.store, context.runtime)
    left = pending(context, "entities", {"statements": statements})
    assert [batch.rows for batch in left] == [9, 9, 4]
    for batch in left:
        ask(batch, context.store, context.runtime)
    assert pending(context, "entities", {"statements": statements}) == []
    outcome = run_stage(context, "entities", {"statements": statements})
    assert (outcome.computed, outcome.recalled) == (0, 40)


def test_a_batch_that_runs_again_after_its_stage_is_made_does_nothing(few: Path, tmp_path: Path) -> None:
    """As on a cluster that lost the worker with what the batch gave."""
    context, statements = started(few, tmp_path)
    (batch,) = pending(context, "entities", {"statements": statements})
    answers = ask(batch, context.store, context.runtime)
    run_stage(context, "entities", {"statements": statements}, answers=[answers])
    assert not (tmp_path / batch.file).exists()
    assert ask(batch, context.store, context.runtime).seconds == 0


def test_a_question_of_two_sources_is_asked_once(few: Path, tmp_path: Path) -> None:
    context = BuildContext.start(BuildRequest(load("tiny", ()), few), Store(tmp_path), Runtime())
    items = [run_stage(context, "items", {}, source=source) for source in context.sources]
    found = pending(context, "statements", {"items": items})
    asked = [context.store.read_temporary(batch.file) for batch in found]
    rows = [row for table in asked for row in table.rows()]
    assert len(rows) == len(set(rows)) == 16


def test_a_model_that_is_not_the_one_that_was_meant_is_refused(few: Path, tmp_path: Path) -> None:
    context, statements = started(few, tmp_path)
    (batch,) = pending(context, "entities", {"statements": statements})
    other = batch.model_copy(update={"identity": "0" * 64})
    with pytest.raises(ModelError, match="the code, packages or weights of"):
        ask(other, context.store, context.runtime)


def digests(finished: Build) -> list[tuple[str, str, int]]:
    return [(outcome.ref.name, outcome.ref.digest, outcome.computed) for outcome in finished.outcomes]


@pytest.mark.slow
def test_processes_give_the_same_rows_also_when_one_is_killed(
    few: Path, tmp_path: Path, small: int, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = BuildRequest(load("tiny", ()), few)
    here = build(order, Store(tmp_path / "threads"), Runtime(runner="threads"))
    shared = build(order, Store(tmp_path / "processes"), Runtime(runner="processes", workers=2))
    monkeypatch.setenv("BUILDS", str(os.getpid()))
    monkeypatch.setattr(plain, "ask", importlib.import_module("own_batches").ask_once_killed)
    outlived = build(order, Store(tmp_path / "killed"), Runtime(runner="processes", workers=2))
    assert (own / "killed").exists()
    assert digests(shared) == digests(outlived) == digests(here)


def test_a_cluster_is_used_through_prefect(few: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="leave out --plain"):
        build(BuildRequest(load("tiny", ()), few), Store(tmp_path), Runtime(runner="dask"))


@pytest.mark.prefect
@pytest.mark.slow
def test_a_batch_that_fails_is_retried_alone(
    few: Path, tmp_path: Path, own: Path, prefect_server: dict[str, str], prefect_client: Any
) -> None:
    from prefect.client.schemas.filters import FlowRunFilter, TaskRunFilter  # noqa: PLC0415

    script = (
        "from storage import batches; batches.SIZE = 9\n"
        "from flows.build_dataset import build_dataset\n"
        "import sys; from pathlib import Path\n"
        "state = build_dataset(sources=Path(sys.argv[1]), preset='tiny', return_state=True,"
        " params={'entities': {'tagger': {'name': 'own_batches:Flaky'}}})\n"
        "print('RUN', state.state_details.flow_run_id)"
    )
    done = run_python("-c", script, few, cwd=tmp_path, env=prefect_server)
    flow_run = FlowRunFilter.model_validate({"id": {"any_": [done.stdout.split("RUN ")[1].strip()]}})
    wanted = TaskRunFilter.model_validate({"name": {"like_": "entities "}, "state": {"type": {"any_": ["COMPLETED"]}}})
    read = partial(prefect_client.read_task_runs, flow_run_filter=flow_run, task_run_filter=wanted)
    until(lambda: len(read()) == 5)  # task runs reach the server a little after the flow has ended
    assert Counter(run.run_count for run in read()) == {1: 4, 2: 1}
