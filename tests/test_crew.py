"""Several processes asked at once: the same answers, and none lost when one is killed."""

import os
import subprocess
import sys
import textwrap
import time
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from flows.testing import alive
from situatedgen.errors import ModelError
from situatedgen.models import registry
from situatedgen.models.answering import tagged
from situatedgen.params import ModelParams
from situatedgen.presets import load
from situatedgen.runtime import Runtime
from situatedgen.sources import sample_folder
from storage import crew, processes, runner
from storage.crew import Crew
from storage.planning import Order
from storage.recalling import Tally
from storage.remembered import Asking
from storage.store import Store

TEXTS = [f"Winter comes to town {number} in May." for number in range(40)]
TWO = Runtime(workers=2)
FRAGILE = '''
import os
import signal
from pathlib import Path

from situatedgen.models.fakes import FakeTagger

HERE = Path(__file__).parent


class Fragile(FakeTagger):
    """Kills its process once, the first time that it is asked."""

    def tag(self, texts):
        try:
            (HERE / "killed").touch(exist_ok=False)
        except FileExistsError:
            return super().tag(texts)
        os.kill(os.getpid(), signal.SIGKILL)


class Short(FakeTagger):
    """Forgets an answer."""

    def tag(self, texts):
        return super().tag(texts)[1:]
'''


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Let a crew be worth its while with a few texts, and send it home afterwards."""
    monkeypatch.setattr(crew, "BATCH", 7)
    monkeypatch.setattr(crew, "WORTHWHILE", 1)
    yield
    processes.dismiss()


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The taggers above, found here and in the processes of a crew, which they share as models of one core do."""
    (tmp_path / "own_taggers.py").write_text(FRAGILE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(Crew, "size", 2)


def asked(count: int = len(TEXTS)) -> pl.DataFrame:
    return pl.DataFrame({"text": TEXTS[:count]})


def test_a_crew_answers_as_one_process_does() -> None:
    params = ModelParams(name="fake")
    parts = list(Crew("tagger", params, TWO).answers(asked()))
    assert [part.height for part in sorted(parts, key=len, reverse=True)] == [7, 7, 7, 7, 7, 5]
    alone = tagged(registry.load("tagger", params, Runtime()), asked())
    assert_frame_equal(pl.concat(parts).sort("text"), alone.sort("text"))


@pytest.mark.parametrize(
    ("name", "workers", "expected"),
    [
        ("fake", 3, 3),
        ("fake", 0, len(os.sched_getaffinity(0))),  # one a core
        ("flair", 3, 1),  # uses all cores, or a GPU, by itself
        ("module:Own", 3, 1),  # nobody knows
    ],
)
def test_a_crew_is_as_large_as_its_model_bears(name: str, workers: int, expected: int) -> None:
    assert Crew("tagger", ModelParams(name=name), Runtime(workers=workers)).size == expected


def test_a_build_is_the_same_with_a_crew(tiny: Any, tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    order = Order(load("tiny", ()), sample_folder())
    built = runner.build(order, store, partial(runner.run_all, store=store, runtime=TWO))
    assert [outcome.ref for outcome in built.outcomes] == [outcome.ref for outcome in tiny.build.outcomes]
    assert [outcome.computed for outcome in built.outcomes] == [outcome.computed for outcome in tiny.build.outcomes]


@pytest.mark.usefixtures("own")
def test_what_a_killed_process_left_is_asked_in_this_one(tmp_path: Path) -> None:
    """Its own marker keeps the model from killing this process too."""
    tally = Tally()
    expected = Asking(Store(tmp_path / "one"), Runtime(workers=1), "", Tally())
    fragile = Asking(Store(tmp_path / "two"), TWO, "", tally)
    found = _tagged(fragile, "own_taggers:Fragile")
    assert (tmp_path / "killed").exists()
    assert found == _tagged(expected, "fake")
    assert tally.computed == len(TEXTS)


@pytest.mark.usefixtures("own")
def test_a_wrong_answer_of_a_process_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="the tagger answered 6 texts, expected 7"):
        _tagged(Asking(Store(tmp_path / "store"), TWO, "", Tally()), "own_taggers:Short")


def _tagged(asking: Asking, name: str) -> Any:
    return asking.model("tagger", ModelParams(name=name)).tag(TEXTS)  # type: ignore[attr-defined]


@pytest.mark.slow
def test_no_process_outlives_a_killed_build(tmp_path: Path) -> None:
    script = textwrap.dedent("""
        import time
        from situatedgen.runtime import Runtime
        from storage.processes import _pool
        if __name__ == "__main__":
            import os
            print(*{_pool(2).submit(os.getpid).result() for _ in range(20)}, flush=True)
            time.sleep(60)
    """)
    path = tmp_path / "held.py"
    path.write_text(script, encoding="utf-8")
    with subprocess.Popen([sys.executable, str(path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        children = {int(word) for word in process.stdout.readline().split()}
        process.kill()
    assert children
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and alive(children):
        time.sleep(0.1)
    assert not alive(children)
