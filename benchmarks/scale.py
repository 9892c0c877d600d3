"""What a million masked texts cost, stage by stage, from `masks` to the dataset folder.

    python -m benchmarks.scale [--texts N] [--folder DIR]

Makes a corpus with the proportions of the real sources (`scale_corpus`), puts its statements, entities and
keywords into a scratch store, and lets the pipeline's own runner make every artifact from there, each in a process
of its own. Vectors are planted, for encoding a million texts takes an hour on two cores; the rate of the real
encoder is measured on a sample. Memory is the most that all processes of a stage had together.

The limit for `candidates` is one blocked float32 matrix product over the pairs of distinct masked texts that share
a kind: timed on a slice before and after, the better counts, and multiplied by the number of pairs.
"""

import argparse
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.measuring import measured
from benchmarks.processes import Spent, alone
from benchmarks.scale_corpus import SOURCE, PlantedEncoder, corpus
from benchmarks.vectors import WIDTH
from situatedgen.pipeline import PIPELINE
from situatedgen.presets import load
from situatedgen.runtime import Runtime
from situatedgen.settings import Settings
from situatedgen.vocabulary import Context, Verdict
from storage.builds import Build, Outcome, now
from storage.keys import Job
from storage.publication import publish
from storage.requests import BuildRequest, params_of, stage_job
from storage.runner import run_job
from storage.store import Store

GIVEN = ("items", "statements", "entities", "keywords")
SLICE, BLOCK = 16_384, 2_048
ENCODED = 2_000
Execute = Callable[..., tuple[Any, Spent]]  # Any: whatever the call answers
GIBIBYTE, MEGABYTE = 1 << 30, 10**6


@dataclass(frozen=True, slots=True)
class Row:
    """A stage, the rows it made, what it cost, and the bytes it left on disk."""

    name: str
    rows: int
    spent: Spent
    stored: int


def settings() -> Settings:
    """The default settings, but vectors are planted, candidates alike enough for pairs, and all pairs good enough."""
    least = load("embedded").pairs.min_similarity
    planted = f"{PlantedEncoder.__module__}:{PlantedEncoder.__name__}"
    anything = [f"judged.min_{part}=0" for part in ("probability", "fluent", "common")]
    return load("embedded", [f"embeddings.encoder.name={planted}", f"candidates.floor={least}", *anything])


def given(count: int, root: Path) -> list[Outcome]:
    """The artifacts that a build of so many statements starts from here, safely in the store."""
    store = Store(root)
    return [_kept(store, name, table) for name, table in corpus(count).items()]


def _kept(store: Store, name: str, table: pl.DataFrame) -> Outcome:
    source = SOURCE if name in ("items", "statements") else ""
    record = store.save(table, stage=name, source=source, key=name, parts={"corpus": table.height}, seconds=0.0)
    return Outcome(ref=record.ref, key=record.key, seconds=0.0, reused=False)


def made(job: Job, root: Path) -> Outcome:
    """What comes of a job on a store."""
    return run_job(job, Store(root), Runtime())


def published(outcomes: Sequence[Outcome], root: Path, out: Path) -> None:
    """The dataset folder of the artifacts."""
    chosen = settings().model_dump(mode="json")
    finished = Build(created=now(), settings=chosen, sources=SOURCE, outcomes=tuple(outcomes))
    publish(finished, store=Store(root), out=out)


def stages(root: Path, outcomes: list[Outcome], execute: Execute) -> Iterator[Row]:
    """Every stage after those that are given, made in turn; their outcomes are added to the list."""
    order = BuildRequest(settings(), root)
    for each in PIPELINE:
        if each.name in GIVEN:
            continue
        refs = [outcome.ref for outcome in outcomes]
        job = stage_job(each, params_of(each, order), refs, source="")
        outcome, spent = execute(made, job, root)
        outcomes.append(outcome)
        yield Row(each.name, outcome.ref.rows, spent, _bytes(root / outcome.ref.place))


def compared(masks: pl.DataFrame) -> int:
    """How many pairs of distinct masked texts share a kind."""
    has = (pl.col("context").is_in([kind, Context.BOTH]).any().alias(kind) for kind in (Context.GEO, Context.TEMP))
    texts = masks.filter(pl.col("verdict") == Verdict.KEPT).group_by("masked_text").agg(*has)
    geo, temp = texts[Context.GEO], texts[Context.TEMP]
    places, times, both = int(geo.sum()), int((temp & ~geo).sum()), int((temp & geo).sum())
    return places * (places - 1) // 2 + times * (times - 1) // 2 + times * both


def product() -> tuple[float, float]:
    """The seconds of one pair in the blocked product of a slice of vectors with itself, by clock and processor."""
    vectors = np.random.default_rng(0).standard_normal((SLICE, WIDTH), dtype=np.float32)
    block = np.empty((BLOCK, BLOCK), dtype=np.float32)
    np.matmul(vectors[:BLOCK], vectors[:BLOCK].T, out=block)
    starts = range(0, SLICE, BLOCK)
    tiles = [(vectors[row : row + BLOCK], vectors[column : column + BLOCK].T) for row in starts for column in starts]
    _, cost = measured(lambda: [np.matmul(top, side, out=block) for top, side in tiles])
    return cost.seconds / SLICE**2, cost.cpu_seconds / SLICE**2


def encode_rate() -> tuple[float, float]:
    """How many masked texts the real encoder turns into vectors in a second, by clock and processor."""
    # Loads torch, which the processes that build do without.
    from benchmarks.encoding import masked_texts, ours  # noqa: PLC0415

    encode, texts = ours(), masked_texts(ENCODED)
    encode(texts[:64], None)
    _, cost = measured(lambda: encode(texts, None))
    return ENCODED / cost.seconds, ENCODED / cost.cpu_seconds


def report(texts: int, folder: Path, execute: Execute = alone) -> Iterator[str]:
    """What so many texts cost, line by line as it is known; `execute` makes a call and tells what it cost."""
    root, out = folder / "store", folder / "out"
    outcomes, spent = execute(given, texts, root)
    yield f"{'':12}{'rows':>14}{'seconds':>10}{'cpu s':>10}{'peak GiB':>10}{'MB':>10}"
    yield line(Row("given", texts, spent, _bytes(root)))
    rows, products = [], [execute(product)[0]]
    for row in stages(root, outcomes, execute):
        rows.append(row)
        yield line(row)
        if row.name == "candidates":
            products.append(execute(product)[0])
            yield against_limit(row, compared(_masks(root, outcomes)), products)
    _, spent = execute(published, outcomes, root, out)
    examples = next(outcome.ref.rows for outcome in outcomes if outcome.ref.stage == "examples")
    rows.append(Row("dataset", examples, spent, _bytes(out)))
    yield line(rows[-1])
    yield line(total(rows))
    yield f"the memo of the encoder: {_bytes(root / 'memo') / MEGABYTE:,.1f} MB"


def line(row: Row) -> str:
    """A row of the table."""
    spent = row.spent
    return (
        f"{row.name:12}{row.rows:>14,}{spent.seconds:>10.1f}{spent.cpu_seconds:>10.1f}"
        f"{spent.peak / GIBIBYTE:>10.2f}{row.stored / MEGABYTE:>10.1f}"
    )


def total(rows: Sequence[Row]) -> Row:
    """All stages: what they cost together, and the most memory of one."""
    seconds, cpu = sum(row.spent.seconds for row in rows), sum(row.spent.cpu_seconds for row in rows)
    peak = max(row.spent.peak for row in rows)
    return Row("all", rows[-1].rows, Spent(seconds, cpu, peak), sum(row.stored for row in rows))


def against_limit(row: Row, pairs: int, products: Sequence[tuple[float, float]]) -> str:
    """How a stage compares with the bare product over so many pairs."""
    clock, cpu = (min(column) * pairs for column in zip(*products, strict=True))
    return (
        f"  limit: {pairs:,} pairs of distinct texts share a kind; their bare product takes {clock:,.1f} s,"
        f" {cpu:,.1f} s of processors: {row.spent.seconds / clock:.2f} × by the clock,"
        f" {row.spent.cpu_seconds / cpu:.2f} × by processor time"
    )


def _masks(root: Path, outcomes: Sequence[Outcome]) -> pl.DataFrame:
    (ref,) = (outcome.ref for outcome in outcomes if outcome.ref.stage == "masks")
    return Store(root).read(ref)


def _bytes(path: Path) -> int:
    """The size of a file, or of all files below a folder."""
    return sum(each.stat().st_size for each in (path, *path.rglob("*")) if each.is_file())


def main() -> None:
    """Build, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=1_000_000, help="how many statements there are")
    parser.add_argument("--folder", type=Path, help="where to build, and to leave what was built; else a scratch one")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        for told in report(asked.texts, asked.folder or Path(scratch)):
            print(told, flush=True)
    clock, cpu = alone(encode_rate)[0]
    print(f"the real encoder: {clock:.0f} texts a second, {cpu:.0f} a second of one processor")


if __name__ == "__main__":
    main()
