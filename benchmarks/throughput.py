"""A cold build against its floor: the bare model calls on the very texts that the build gave to the models.

    python -m benchmarks.throughput [--sources DIR]

Builds into a scratch store without Prefect, writes down every text that goes to spaCy and to the encoder, then
gives the same texts to the bare models: `nlp.pipe` with the components whose work the build reads, as spaCy ships
them, and `SentenceTransformer.encode`.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import spacy
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from sentence_transformers import SentenceTransformer
from spacy.language import Language

from benchmarks.processes import commanded
from situatedgen.models.sentence_encoder import PACKAGE, SentenceEncoder
from situatedgen.models.weights import SPACY_MODEL, package_folder
from situatedgen.presets import load
from situatedgen.runtime import Runtime
from situatedgen.sources import sample_folder
from storage.outcomes import Build
from storage.plain import build_dataset
from storage.planning import Order
from storage.store import Store

REACH = 1.15
Calls = list[tuple[tuple[str, ...], list[str]]]


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds by the clock and of the processors; others on the machine lengthen the first far more."""

    clock: float
    processor: float

    def __add__(self, other: "Spent") -> "Spent":
        """Both spent."""
        return Spent(self.clock + other.clock, self.processor + other.processor)

    def over(self, floor: "Spent") -> str:
        """The ratios to a floor, as they are printed."""
        return f"{self.clock / floor.clock:.2f} by the clock, {self.processor / floor.processor:.2f} by processor time"


def spent(work: Callable[[], object]) -> Spent:
    """What a piece of work costs."""
    clock, processor = time.perf_counter(), time.process_time()
    work()
    return Spent(time.perf_counter() - clock, time.process_time() - processor)


@contextmanager
def recorded(calls: Calls, encoded: list[str]) -> Iterator[None]:
    """Writes down the texts of every model call within this block."""
    pipe, encode = Language.pipe, SentenceEncoder.encode

    def recording_pipe(
        self: Language, texts: Iterable[str], *args: Any, **options: Any
    ) -> Iterator[Any]:  # Any: spaCy's
        kept, off = list(texts), options.get("disable", ())
        calls.append((tuple(name for name in self.pipe_names if name not in off), kept))
        return pipe(self, kept, *args, **options)

    def recording_encode(self: SentenceEncoder, texts: Sequence[str]) -> NDArray[np.float32]:
        encoded.extend(texts)
        return encode(self, texts)

    with patch.object(Language, "pipe", recording_pipe), patch.object(SentenceEncoder, "encode", recording_encode):
        yield


def build_from(sources: Path, folder: Path) -> Build:
    """A build in this process alone: from nothing the first time, with nothing changed the second."""
    order = Order(load("embedded"), sources)
    return build_dataset(order, store=Store(folder / "store"), out=folder / "out", runtime=Runtime(workers=1))


def bare_spacy(calls: Calls) -> Spent:
    """The same texts through spaCy's own components, with nothing around them."""
    pipes = [(shipped(components), texts) for components, texts in calls]
    return spent(lambda: [all(True for _ in pipe.pipe(texts, batch_size=64)) for pipe, texts in pipes])


@cache
def shipped(components: tuple[str, ...]) -> Language:
    """The pipe of these components as spaCy ships them."""
    everything = spacy.load(SPACY_MODEL).component_names
    return spacy.load(SPACY_MODEL, exclude=[name for name in everything if name not in components])


def bare_encoder(texts: list[str]) -> Spent:
    """The same texts through the library's own encode."""
    model = SentenceTransformer(str(package_folder(PACKAGE) / "model"), device="cpu")
    return spent(lambda: model.encode(texts, batch_size=64))


def main() -> int:
    """Prints the table; 1 when the ratio is not reached."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=Path, default=sample_folder())
    sources = parser.parse_args().sources
    calls: Calls = []
    encoded: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        places = ("--sources", str(sources), "--store", f"{folder}/store", "--out", f"{folder}/out")
        whole = commanded("build", "--plain", "--json", *places)
    with tempfile.TemporaryDirectory() as folder, recorded(calls, encoded):
        again = partial(build_from, sources, Path(folder))
        builds: list[Build] = []
        cold = spent(lambda: builds.append(again()))
        warm = spent(again)
    encoder = bare_encoder(encoded)
    parses = bare_spacy(calls)
    texts = sum(len(texts) for _, texts in calls)
    _print(builds[0], {
        "cold build in one process": (cold, ""),
        "the same, nothing changed": (warm, ""),
        "bare spaCy on the same texts": (parses, f"{texts:,}"),
        "bare encode on the same texts": (encoder, f"{len(encoded):,}"),
    })  # fmt: skip
    floor = parses + encoder
    ratio = whole.seconds / floor.clock
    print(f"cold build on the command line: {whole.seconds:.1f} s, {ratio:.2f} × the floor (reach ≤ {REACH})")
    print(f"its processes took {whole.peak / 2**30:.2f} GiB together at their most (reach ≤ 3)")
    print(f"in one process: {cold.over(floor)}")
    print(f"nothing changed: {warm.clock:.2f} s, {warm.clock / cold.clock:.2%} of cold in one process (reach ≤ 2 %)")
    return int(ratio > REACH)


def _print(build: Build, rows: dict[str, tuple[Spent, str]]) -> None:
    table = Table(
        "what", "seconds", "of processors", "texts or rows",
        title="Cold build against the bare model calls", title_justify="left",
    )  # fmt: skip
    for outcome in build.outcomes:
        table.add_row(outcome.ref.name, f"{outcome.seconds:.2f}", "", f"{outcome.ref.rows:,}")
    table.add_section()
    for what, (cost, texts) in rows.items():
        table.add_row(what, f"{cost.clock:.2f}", f"{cost.processor:.2f}", texts)
    Console().print(table)


if __name__ == "__main__":
    sys.exit(main())
