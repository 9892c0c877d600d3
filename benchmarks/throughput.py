"""A cold build against its floor: the bare model calls on the very texts that the build gives to the models.

    python -m benchmarks.throughput [--sources DIR] [--repeats N]

The build is a run of `build --plain --runner threads`, one process from its start to its end. A second build writes
down every text that reaches spaCy or the encoder; a pair that the judge reads is one text of both sentences. The floor
gives the same texts to the bare libraries, each role in a process of its own: `nlp.pipe` with the components that the
role needs, as spaCy ships them, and `SentenceTransformer.encode`. Loading the libraries and models counts for the
build, not for the floor.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import polars as pl
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from benchmarks.processes import Spent, alone, commanded
from situatedgen.models.batches import ROW_FUNCTIONS
from situatedgen.pipeline import PIPELINE
from situatedgen.presets import load
from situatedgen.runtime import Runtime
from situatedgen.sources import sample_folder
from storage.builds import latest
from storage.plain import build_dataset
from storage.requests import BuildRequest
from storage.store import Store

LIMIT = 1.15
GIBIBYTES = 3
STAGES = {each.models[0]: each.name for each in PIPELINE if each.questions}
Call = tuple[str, tuple[str, ...]]
"""A role, and the components of spaCy's that its texts go through; none for the encoder."""
Texts = dict[Call, list[str]]


@dataclass
class Recorder:
    """The texts that reached the libraries, by the role that was asked."""

    role: str = ""
    texts: Texts = field(default_factory=dict)

    def add(self, components: Iterable[str], texts: Sequence[str]) -> None:
        """Write down texts that are about to go through some components."""
        self.texts.setdefault((self.role, tuple(components)), []).extend(texts)

    def name_role(self, role: str) -> Callable[[Any, pl.DataFrame], pl.DataFrame]:  # Any: a Protocol, by role
        """The function that asks a model of a role, which first says that it does."""
        ask = ROW_FUNCTIONS[role]

        def answer(model: Any, asked: pl.DataFrame) -> pl.DataFrame:
            self.role = role
            return ask(model, asked)

        return answer


@contextmanager
def record_calls(recorder: Recorder) -> Iterator[None]:
    """Write down the texts of every call of spaCy and the encoder within this block."""
    # Loaded only here, in the process that records.
    from spacy.language import Language  # noqa: PLC0415

    from situatedgen.models.embedded_judge import ReaderModel  # noqa: PLC0415
    from situatedgen.models.sentence_encoder import SentenceEncoder  # noqa: PLC0415

    pipe, encode, odds = Language.pipe, SentenceEncoder.encode, ReaderModel.odds

    def recording_pipe(self: Language, texts: Iterable[str], **options: Any) -> Iterator[Any]:  # Any: spaCy's
        given, disabled = list(texts), options.get("disable", ())
        recorder.add((name for name in self.pipe_names if name not in disabled), given)
        return pipe(self, given, **options)

    def recording_encode(self: SentenceEncoder, texts: Sequence[str]) -> NDArray[np.float32]:
        recorder.add((), texts)
        return encode(self, texts)

    def recording_odds(self: ReaderModel, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        recorder.add((), [" ".join(pair) for pair in pairs])
        return odds(self, pairs)

    with (
        patch.object(Language, "pipe", recording_pipe),
        patch.object(SentenceEncoder, "encode", recording_encode),
        patch.object(ReaderModel, "odds", recording_odds),
        patch.dict(ROW_FUNCTIONS, {role: recorder.name_role(role) for role in ROW_FUNCTIONS}),
    ):
        yield


def record_texts(sources: Path) -> Texts:
    """The texts that a cold build gives to the libraries."""
    recorder = Recorder()
    with tempfile.TemporaryDirectory() as scratch, record_calls(recorder):
        folder, order = Path(scratch), BuildRequest(load("embedded"), sources)
        build_dataset(order, store=Store(folder / "store"), out=folder / "out", runtime=Runtime())
    return recorder.texts


def time_spacy(components: Sequence[str], texts: list[str]) -> Spent:
    """What spaCy's own components cost on texts, as they are shipped."""
    import spacy  # noqa: PLC0415 (only where it is timed)

    from situatedgen.models.weights import SPACY_MODEL  # noqa: PLC0415

    shipped = spacy.load(SPACY_MODEL).component_names
    model = spacy.load(SPACY_MODEL, exclude=[name for name in shipped if name not in components])
    return time_call(lambda: sum(1 for _ in model.pipe(texts)))


def time_encoder(texts: list[str]) -> Spent:
    """What the library's own encode costs on texts."""
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415 (only where it is timed)

    from situatedgen.models.sentence_encoder import PACKAGE  # noqa: PLC0415
    from situatedgen.models.weights import package_folder  # noqa: PLC0415

    model = SentenceTransformer(str(package_folder(PACKAGE) / "model"), device="cpu")
    return time_call(partial(model.encode, texts))


def time_call(call: Callable[[], object]) -> Spent:
    """What a call costs this process; its memory is not looked at."""
    began, cpu_began = time.perf_counter(), time.process_time()
    call()
    return Spent(time.perf_counter() - began, time.process_time() - cpu_began, 0)


def time_floor(texts: Texts) -> dict[str, Spent]:
    """What the bare calls cost, by role, each in a process of its own."""
    found: dict[str, Spent] = {}
    for (role, components), given in texts.items():
        spent, _ = alone(time_spacy, components, given) if components else alone(time_encoder, given)
        found[role] = add_costs([found[role], spent]) if role in found else spent
    return found


def add_costs(costs: Iterable[Spent]) -> Spent:
    """Costs together."""
    listed = list(costs)
    return Spent(sum(cost.seconds for cost in listed), sum(cost.cpu_seconds for cost in listed), 0)


def build_cold(sources: Path) -> tuple[Spent, dict[str, float]]:
    """What a cold build costs on the command line, and the seconds of each of its stages."""
    with tempfile.TemporaryDirectory() as folder:
        places = ("--sources", str(sources), "--store", f"{folder}/store", "--out", f"{folder}/out")
        spent = commanded("build", "--plain", "--runner", "threads", "--json", *places)
        stages: dict[str, float] = {}
        for outcome in latest(Store(Path(folder, "store"))).outcomes:
            stages[outcome.ref.stage] = stages.get(outcome.ref.stage, 0.0) + outcome.seconds
    return spent, stages


def show(texts: Texts, floor: dict[str, Spent], build: Spent, stages: dict[str, float]) -> None:
    """Print the floor of each role beside the stage that asks it."""
    header = ("role", "texts", "bare calls, s", "cpu s", "stage", "in the build, s")
    table = Table(*header, title="A cold build against the bare model calls", title_justify="left")
    for role, spent in floor.items():
        count = sum(len(given) for call, given in texts.items() if call[0] == role)
        stage = STAGES[role]
        costs = f"{spent.seconds:.1f}", f"{spent.cpu_seconds:.1f}"
        table.add_row(role, f"{count:,}", *costs, stage, f"{stages[stage]:.1f}")
    asking = {STAGES[role] for role in floor}
    others = sum(seconds for name, seconds in stages.items() if name not in asking)
    table.add_row("", "", "", "", "the other stages", f"{others:.1f}")
    rest = build.seconds - sum(stages.values())
    table.add_row("", "", "", "", "start, questions, dataset folder", f"{rest:.1f}")
    table.add_section()
    whole = add_costs(floor.values())
    table.add_row("all", "", f"{whole.seconds:.1f}", f"{whole.cpu_seconds:.1f}", "", f"{build.seconds:.1f}")
    Console(width=120).print(table)


def main() -> int:
    """Print the tables and the ratio; 1 when it is beyond the limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=Path, help="default: the shipped sample, for which there is no limit")
    parser.add_argument("--repeats", type=int, default=1, help="builds, and floors, of which the medians count")
    given = parser.parse_args()
    sources = given.sources or sample_folder()
    texts, _ = alone(record_texts, sources)
    builds, floors = list[Spent](), list[Spent]()
    for _ in range(given.repeats):
        build, stages = build_cold(sources)
        floor = time_floor(texts)
        show(texts, floor, build, stages)
        builds.append(build)
        floors.append(add_costs(floor.values()))
    ratio = median(builds, "seconds") / median(floors, "seconds")
    cpu_ratio = median(builds, "cpu_seconds") / median(floors, "cpu_seconds")
    peak = max(build.peak for build in builds) / 2**30
    print(f"cold build in one process: {median(builds, 'seconds'):.1f} s, floor {median(floors, 'seconds'):.1f} s")
    print(f"ratio {ratio:.2f} by the clock, {cpu_ratio:.2f} by processor time (limit {LIMIT})")
    print(f"the build took {peak:.2f} GiB at its most (limit {GIBIBYTES})")
    return int(bool(given.sources) and (ratio > LIMIT or peak > GIBIBYTES))


def median(costs: Sequence[Spent], name: str) -> float:
    """The median of one of the costs."""
    values: list[float] = [getattr(cost, name) for cost in costs]
    return statistics.median(values)


if __name__ == "__main__":
    sys.exit(main())
