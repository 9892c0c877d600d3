"""A cold build against its floor: the bare model calls on the very texts that the build gave to the models.

    python -m benchmarks.throughput [--sources DIR]

Builds into a scratch store without Prefect, writes down every text that goes to spaCy and to the encoder, then
gives the same texts to the bare models: `nlp.pipe` of the same pipe, `SentenceTransformer.encode`.
"""

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from sentence_transformers import SentenceTransformer
from spacy.language import Language

from situatedgen.models.minilm import PACKAGE, MiniLM
from situatedgen.models.weights import package_folder
from situatedgen.presets import load
from situatedgen.runtime import Runtime
from situatedgen.sources import sample_folder
from storage.outcomes import Build
from storage.plain import build_dataset
from storage.planning import Order
from storage.store import Store

REACH = 1.15
Calls = list[tuple[Language, list[str]]]


@contextmanager
def recorded(calls: Calls, encoded: list[str]) -> Iterator[None]:
    """Writes down the texts of every model call within this block."""
    pipe, encode = Language.pipe, MiniLM.encode

    def recording_pipe(
        self: Language, texts: Iterable[str], *args: Any, **options: Any
    ) -> Iterator[Any]:  # Any: spaCy's
        kept = list(texts)
        calls.append((self, kept))
        return pipe(self, kept, *args, **options)

    def recording_encode(self: MiniLM, texts: Sequence[str]) -> NDArray[np.float32]:
        encoded.extend(texts)
        return encode(self, texts)

    with patch.object(Language, "pipe", recording_pipe), patch.object(MiniLM, "encode", recording_encode):
        yield


def cold_build(sources: Path, folder: Path) -> tuple[Build, float]:
    """A build from nothing, and its seconds."""
    began = time.perf_counter()
    order = Order(load("embedded"), sources)
    build = build_dataset(order, store=Store(folder / "store"), out=folder / "out", runtime=Runtime())
    return build, time.perf_counter() - began


def bare_spacy(calls: Calls) -> float:
    """Seconds of the same texts through the same pipes, with nothing around them."""
    began = time.perf_counter()
    for pipe, texts in calls:
        for _ in pipe.pipe(texts, batch_size=64):
            pass
    return time.perf_counter() - began


def bare_encoder(texts: list[str]) -> float:
    """Seconds of the same texts through the library's own encode."""
    model = SentenceTransformer(str(package_folder(PACKAGE) / "model"), device="cpu")
    began = time.perf_counter()
    model.encode(texts, batch_size=64)
    return time.perf_counter() - began


def main() -> int:
    """Prints the table; 1 when the ratio is not reached."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=Path, default=sample_folder())
    sources = parser.parse_args().sources
    calls: Calls = []
    encoded: list[str] = []
    with tempfile.TemporaryDirectory() as folder, recorded(calls, encoded):
        build, seconds = cold_build(sources, Path(folder))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        _, warm = cold_build(sources, Path(folder))
    spacy, encoder = bare_spacy(calls), bare_encoder(encoded)
    floor = spacy + encoder
    _print(build, seconds, warm, spacy, encoder, sum(len(texts) for _, texts in calls), len(encoded))
    print(f"cold build / floor: {seconds / floor:.2f} (reach ≤ {REACH}); peak memory {peak:.2f} GiB (reach ≤ 3)")
    print(f"nothing changed: {warm:.2f} s, {warm / seconds:.2%} of cold (reach ≤ 2 %)")
    return int(seconds / floor > REACH)


def _print(build: Build, cold: float, warm: float, spacy: float, encoder: float, parsed: int, encoded: int) -> None:
    table = Table(
        "what", "seconds", "texts or rows", title="Cold build against the bare model calls", title_justify="left"
    )
    for outcome in build.outcomes:
        table.add_row(outcome.ref.name, f"{outcome.seconds:.2f}", f"{outcome.ref.rows:,}")
    table.add_section()
    table.add_row("cold build", f"{cold:.2f}", "")
    table.add_row("the same, nothing changed", f"{warm:.2f}", "")
    table.add_row("bare spaCy on the same texts", f"{spacy:.2f}", f"{parsed:,}")
    table.add_row("bare encode on the same texts", f"{encoder:.2f}", f"{encoded:,}")
    Console().print(table)


if __name__ == "__main__":
    sys.exit(main())
