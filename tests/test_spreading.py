"""Work cut into units: the same whoever does them, in whatever order they come back."""

import importlib
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from random import Random

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from pydantic import ValidationError
from typer.testing import CliRunner

from flows.cli.app import app
from situatedgen import progress, spreading
from situatedgen.errors import ModelError, SettingsError
from situatedgen.mining import search
from situatedgen.mining.similarity import settled
from situatedgen.models import registry
from situatedgen.models.answering import tagged
from situatedgen.params import ModelParams
from situatedgen.runtime import Runtime
from situatedgen.spreading import Made, Numbered, Unit
from storage import crew, processes
from storage.alike import Alike, alike
from storage.asking import Asked
from storage.crew import Crew
from storage.guarding import guarding
from storage.processes import Processes
from storage.recalling import Tally
from storage.remembered import Asking
from storage.store import Store

TEXTS = [f"Winter comes to town {number} in May." for number in range(200)]


@dataclass
class Shuffled:
    """A spreader that does units in an order of its own, and remembers how many there were."""

    seed: int = 0
    units: list[int] = field(default_factory=list)

    def spread(self, function: Callable[..., Made], units: Sequence[Unit]) -> Numbered[Made]:
        self.units.append(len(units))
        for number in Random(self.seed).sample(range(len(units)), len(units)):
            yield number, function(*units[number])


@pytest.mark.parametrize("spreader", [None, Shuffled(1), Shuffled(2)])
def test_what_was_made_comes_in_the_order_of_the_units(spreader: Shuffled | None) -> None:
    assert spreading.current() is None
    with spreading.spreading(spreader) if spreader else nullcontext():
        assert spreading.current() is spreader
        assert spreading.spread(divmod, [(number, 3) for number in range(7)]) == [divmod(n, 3) for n in range(7)]
        assert spreading.spread(divmod, []) == []
    assert spreading.current() is None


def unit_vectors(seed: int, count: int) -> np.ndarray:
    chance = np.random.default_rng(seed)
    vectors = chance.standard_normal((count, 3))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


seeds, counts, blocks = st.integers(0, 2**32 - 1), st.integers(0, 24), st.integers(1, 4)


@given(seeds, counts, counts, blocks, st.floats(0.01, 1))
def test_tiles_that_others_search_give_what_one_search_gives(seed, count, more, block, floor) -> None:
    ones, others = unit_vectors(seed, count), unit_vectors(seed + 1, more)
    within = rows_of(search.within(ones, floor=floor, block=block))
    between = rows_of(search.between(ones, others, floor=floor, block=block))
    shuffled = Shuffled(seed)
    with spreading.spreading(shuffled):
        assert rows_of(search.within(ones, floor=floor, block=block)) == within
        assert rows_of(search.between(ones, others, floor=floor, block=block)) == between
    rows, columns = (-(-size // (block * search.SPREAD)) for size in (count, more))
    assert shuffled.units == [rows * (rows + 1) // 2, rows * columns]


def rows_of(hits: search.Hits) -> list[tuple[int, int, float]]:
    return sorted(zip(hits.left.tolist(), hits.right.tolist(), hits.similarity.tolist(), strict=True))


@given(seeds, st.integers(1, 150), st.integers(1, 70))
def test_answers_do_not_depend_on_the_batches_or_their_order(seed: int, count: int, most: int) -> None:
    asked = pl.DataFrame({"text": TEXTS[:count]})
    one = Crew("tagger", ModelParams(name="fake"), Runtime(runner="dask"))
    with pytest.MonkeyPatch.context() as patch, spreading.spreading(Shuffled(seed)):
        patch.setattr(crew, "BATCH", most)
        patch.setattr(crew, "LEAST", 1)
        parts = list(one.answers(asked))
    expected = tagged(registry.load("tagger", ModelParams(name="fake"), Runtime()), asked)
    assert all(part.height <= most for part in parts)
    assert_frame_equal(pl.concat(parts).sort("text"), expected.sort("text"))


@pytest.mark.parametrize(
    ("runner", "texts", "expected"),
    [
        ("processes", crew.WORTHWHILE, True),
        ("processes", crew.WORTHWHILE - 1, False),  # starting processes costs more
        ("threads", crew.WORTHWHILE, False),  # all in this process
    ],
)
def test_a_runner_says_whether_processes_share_the_texts(runner: str, texts: int, expected: bool) -> None:
    one = Crew("tagger", ModelParams(name="fake"), Runtime(runner=runner, workers=2))
    assert one.is_worthwhile(texts) is expected


def test_all_that_is_new_is_spread_and_all_that_was_said_is_remembered(tmp_path: Path) -> None:
    asking = Asking(Store(tmp_path), Runtime(runner="dask"), "", tally := Tally())
    tagger, shuffled, heard = asking.model("tagger", ModelParams(name="fake")), Shuffled(), []
    with spreading.spreading(shuffled), progress.listening(heard.append):
        first = tagger.tag(TEXTS[:100])
        again = tagger.tag(TEXTS)
    assert again[:100] == first
    assert shuffled.units == [2, 2]  # of at least 64 texts, but for the last
    assert (sum(heard), tally.computed) == (200, 200)


@pytest.fixture
def pool() -> Iterator[Processes]:
    yield Processes(2)
    processes.dismiss()


def test_processes_do_each_unit_once(pool: Processes) -> None:
    made = dict(pool.spread(divmod, [(number, 2) for number in range(20)]))
    assert made == {number: divmod(number, 2) for number in range(20)}


def test_what_killed_processes_leave_is_done_here(
    pool: Processes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every child ends at its first unit; this process does not, for it is not its own child."""
    script = "import os\n\n\ndef end(parent, number):\n    return number if os.getpid() == parent else os._exit(9)\n"
    (tmp_path / "ending.py").write_text(script, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    made = dict(pool.spread(importlib.import_module("ending").end, [(os.getpid(), number) for number in range(8)]))
    assert made == {number: number for number in range(8)}


def test_work_is_refused_where_the_code_is_another() -> None:
    work = alike(partial(search._hits_within, floor=0.1, block=2))
    assert isinstance(work, Alike)
    vectors = settled(unit_vectors(1, 5))
    assert rows_of(work(vectors, vectors, True)) == rows_of(search.within(vectors, floor=0.1))
    with pytest.raises(SettingsError, match=r"other code for situatedgen.mining.search:_hits_within"):
        replace(work, code="another")(vectors, vectors, True)


def test_a_model_that_is_another_is_not_asked() -> None:
    asked = Asked("tagger", ModelParams(name="fake"), Runtime(), identity="another")
    with pytest.raises(ModelError, match="tagger 'fake' has other code, packages or weights in this process"):
        asked.answer(pl.DataFrame({"text": TEXTS}))


@pytest.mark.parametrize("spreader", [None, Shuffled()])
def test_what_is_to_be_held_is_held_whenever_a_model_is_asked(spreader: Shuffled | None, tmp_path: Path) -> None:
    held: list[str] = []

    @contextmanager
    def guard(role: str, params: ModelParams, runtime: Runtime) -> Iterator[None]:
        held.append(f"{role} {params.name} {runtime.device}")
        yield

    asking = Asking(Store(tmp_path), Runtime(device="cpu"), "", Tally())
    with guarding(guard), spreading.spreading(spreader) if spreader else nullcontext():
        asking.model("tagger", ModelParams(name="fake")).tag(TEXTS[:100])  # type: ignore[attr-defined]
    assert held == ["tagger fake cpu"] * (2 if spreader else 1)


def test_a_scheduler_without_dask_is_refused() -> None:
    with pytest.raises(ValidationError, match="a scheduler is of no use to the runner 'threads'"):
        Runtime(runner="threads", scheduler="tcp://127.0.0.1:8786")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--scheduler", "tcp://127.0.0.1:1"), "--scheduler is of no use to `--runner processes`"),
        (("--runner", "dask", "--scheduler", "tcp://127.0.0.1:1"), "no Dask scheduler answers at tcp://127.0.0.1:1"),
        (("--runner", "dask", "--scheduler", "nonsense://x"), "no Dask scheduler answers at nonsense://x"),
    ],
)
def test_a_cluster_that_is_not_there_is_refused_in_words(
    arguments: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("storage.dask_cluster.CONNECT_SECONDS", 1)
    found = CliRunner().invoke(app, ["build", "--plain", "--preset", "tiny", *arguments])
    assert isinstance(found.exception, SettingsError)
    assert message in str(found.exception)
