"""What a build costs after each kind of change, against a cold one.

    python -m benchmarks.incremental --sources DIR [--preset NAME] [--growth 1 2 4 8]

Every build is a run of the command line in a process of its own, on a copy of the code and of the sources, so
that code can be edited between two builds. A machine that was busy for minutes may be a third slower for a while: each
build that is timed waits until a fixed piece of work takes no longer than it did before the cold one.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.altering import change_records, repeat_sources
from benchmarks.processes import RUN
from situatedgen.pipeline import PIPELINE
from situatedgen.sources import sample_folder

HOUSE = Path(__file__).resolve().parent.parent
PACKAGES = ("situatedgen", "storage", "tasks", "flows")
CHANGED_FILE = "commonsenseqa/train_rand_split.jsonl"
ADDED_SOURCE = "strategyqa"
ONE_PERCENT = 0.01
TURNS = 3
AS_FAST, MOST_REST = 1.1, 60.0
LENIENT = tuple(f"--set=leakage.{name}=1" for name in ("max_neighbour", "max_close_share", "max_hub_share"))
"""Copies of records are nearer to each other than a dataset's train may be to its test."""
PAIRING = "situatedgen/rules/pairing.py"
CONTAINED, EQUAL = "left.text in right.text or right.text in left.text", "left.text == right.text"
CONVERTING = "situatedgen/models/rule_converter.py"
STAGE_COUNT = len(PIPELINE)
ASKING = frozenset(each.name for each in PIPELINE if each.models and each.name != "communities")
LIMITS = {"nothing": 0.02, "a comment": 0.02, "1 %": 0.05}


@dataclass(frozen=True)
class Run:
    """A build that was run: what had been done before it, what it cost, and what came of each artifact."""

    change: str
    seconds: float
    processor: float
    artifacts: list[dict[str, Any]] = field(default_factory=list)  # Any: JSON of outcomes

    @property
    def made(self) -> list[str]:
        """The artifacts that were made, not found."""
        return [str(each["ref"]["stage"]) for each in self.artifacts if not each["reused"]]

    def longest(self, count: int = 5) -> list[str]:
        """The artifacts that took longest to make, each with its seconds."""
        made = sorted((each for each in self.artifacts if not each["reused"]), key=lambda each: -each["seconds"])
        return [f"{each['ref']['stage']} {each['seconds']:.1f}" for each in made[:count]]

    def asked(self) -> dict[str, int]:
        """How many texts the model of each stage was asked."""
        asked: dict[str, int] = {}
        for each in self.artifacts:
            if each["ref"]["stage"] in ASKING and each["computed"]:
                asked[each["ref"]["stage"]] = asked.get(each["ref"]["stage"], 0) + each["computed"]
        return asked


@dataclass(frozen=True)
class Workshop:
    """A folder with a copy of the code and of the sources, and a store."""

    folder: Path
    preset: str

    @property
    def sources(self) -> Path:
        """The copy of the sources."""
        return self.folder / "sources"

    def build(self, change: str, *options: str) -> Run:
        """A build on the command line, after a change, on a machine that is rested."""
        rest()
        command = [sys.executable, "-c", RUN, "build", "--plain", "--json", "--preset", self.preset]
        command += ["--sources", str(self.sources), "--store", str(self.folder / "store")]
        command += ["--out", str(self.folder / "dataset"), *options]
        began, busy = time.perf_counter(), _processor()
        code = self.folder / "code"
        done = subprocess.run(command, cwd=code, env=_environment(), capture_output=True, text=True, check=False)
        seconds, processor = time.perf_counter() - began, _processor() - busy
        if done.returncode:
            raise SystemExit(f"after {change}: {done.stderr}")
        run = Run(change, seconds, processor, json.loads(done.stdout)["artifacts"])
        told = f"{seconds:8.1f} s, {processor:7.1f} s of processors  {change}"
        print(told, f"({', '.join(run.longest())})", file=sys.stderr, flush=True)
        return run

    def edit(self, path: str, old: str, new: str) -> None:
        """Replace a stretch of the code, once."""
        file = self.folder / "code" / path
        text = file.read_text(encoding="utf-8")
        if old not in text:
            raise SystemExit(f"{path} has no {old!r} to edit")
        file.write_text(text.replace(old, new, 1), encoding="utf-8")


@cache
def rested() -> float:
    """The seconds that a fixed piece of work takes when nothing was timed yet: the least of some."""
    return min(fixed_work() for _ in range(TURNS))


def rest() -> None:
    """Wait until the machine is about as fast as at first, or has been waited for long enough."""
    limit = rested() * AS_FAST
    deadline = time.monotonic() + MOST_REST
    while fixed_work() > limit and time.monotonic() < deadline:
        time.sleep(1)


def fixed_work() -> float:
    """The seconds that a fixed piece of work took."""
    began = time.perf_counter()
    sum(number * number % 7 for number in range(3_000_000))
    return time.perf_counter() - began


def workshop(folder: Path, sources: Path, preset: str, *, times: int = 1) -> Workshop:
    """A new workshop with fresh copies, the records of the sources so many times."""
    for package in PACKAGES:
        shutil.copytree(HOUSE / package, folder / "code" / package, ignore=shutil.ignore_patterns("__pycache__"))
    repeat_sources(sources, folder / "sources", times)
    return Workshop(folder, preset)


def changes(shop: Workshop) -> Iterator[Run]:
    """A build after each kind of change, the cold one first."""
    yield shop.build("cold")
    yield shop.build("nothing")
    shop.edit(PAIRING, "def is_contained", "# A comment.\ndef is_contained")
    yield shop.build("a comment")
    shop.edit(PAIRING, CONTAINED, EQUAL)
    yield shop.build("a rule of pairs")
    yield shop.build("the threshold, 0.80 → 0.78", "--set", "pairs.min_similarity=0.78")
    shop.edit(PAIRING, EQUAL, CONTAINED)
    shop.build("the rule and the threshold again as they were")
    yield from one_percent(shop)
    shop.edit(CONVERTING, 'YES = frozenset({"yes", "true"})', 'YES = frozenset({"yes", "true", "right"})')
    yield shop.build("a rule of the converter")


def one_percent(shop: Workshop, *options: str) -> Iterator[Run]:
    """Builds each after other records of one source were changed: some bring new masked texts, and some do not."""
    for turn in range(TURNS):
        changed = change_records(shop.sources / CHANGED_FILE, ONE_PERCENT, turn=turn)
        yield shop.build(f"{changed} records: 1 % of one source", *options)


def source_added(shop: Workshop) -> Run:
    """A build that has one source more than the one before it."""
    aside = shop.folder / ADDED_SOURCE
    (shop.sources / ADDED_SOURCE).rename(aside)
    shop.build("without one source")
    aside.rename(shop.sources / ADDED_SOURCE)
    return shop.build(f"a source added ({ADDED_SOURCE})")


def growth(shop: Workshop) -> tuple[Run, Run]:
    """A cold build, and the middle one by its time of those after 1 % of one source changed."""
    cold = shop.build("cold", *LENIENT)
    return cold, sorted(one_percent(shop, *LENIENT), key=_clock)[TURNS // 2]


def show(runs: list[Run]) -> None:
    """Print what each build cost, as a share of the first."""
    table = Table(
        "changed",
        "seconds",
        "of cold",
        "of processors",
        "of cold",
        "stages made",
        "texts asked of models",
        title_justify="left",
    )
    table.title = "What a build costs after a change"
    for run in runs:
        asked = ", ".join(f"{stage} {count:,}" for stage, count in run.asked().items())
        made = dict.fromkeys(run.made)
        table.add_row(
            run.change,
            f"{run.seconds:.1f}",
            f"{run.seconds / runs[0].seconds:.1%}",
            f"{run.processor:.1f}",
            f"{run.processor / runs[0].processor:.1%}",
            "all" if len(made) == STAGE_COUNT else ", ".join(made) or "none",
            asked or "0",
        )
    Console(width=150).print(table)


def show_growth(sizes: list[int], runs: list[tuple[Run, Run]]) -> None:
    """Print how the cold build and the one after a small change grow with the data, by the clock and by processors."""
    header = ("data", "cold, s", "× the first", "1 % changed, s", "× the first", "of cold")
    for title, spent in (("How it grows", _clock), ("The same by processor time", _busy)):
        table = Table(*header, title=title, title_justify="left")
        for size, (cold, small) in zip(sizes, runs, strict=True):
            first_cold, first_small = map(spent, runs[0])
            table.add_row(
                f"{size} ×",
                f"{spent(cold):.1f}",
                f"{spent(cold) / first_cold:.2f}",
                f"{spent(small):.1f}",
                f"{spent(small) / first_small:.2f}",
                f"{spent(small) / spent(cold):.1%}",
            )
        Console(width=150).print(table)


def _clock(run: Run) -> float:
    return run.seconds


def _busy(run: Run) -> float:
    return run.processor


def main() -> int:
    """Prints the tables; 1 when a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=Path, default=sample_folder())
    parser.add_argument("--preset", default="embedded")
    parser.add_argument("--growth", type=int, nargs="*", default=[], metavar="TIMES", help="sizes, such as 1 2 4 8")
    arguments = parser.parse_args()
    runs: list[Run] = []
    if not arguments.growth:
        with _scratch(arguments) as shop:
            runs += changes(shop)
        with _scratch(arguments) as shop:
            runs.append(source_added(shop))
        show(runs)
    grown: list[tuple[Run, Run]] = []
    for times in arguments.growth:
        with _scratch(arguments, times=times) as shop:
            grown.append(growth(shop))
        show_growth(arguments.growth[: len(grown)], grown)
    return int(any(run.seconds > limit_of(run) * runs[0].seconds for run in runs))


def limit_of(run: Run) -> float:
    """The share of the cold build's time that a build may take after a change."""
    return next((limit for words, limit in LIMITS.items() if words in run.change), 2)


@contextmanager
def _scratch(arguments: argparse.Namespace, *, times: int = 1) -> Iterator[Workshop]:
    with tempfile.TemporaryDirectory() as folder:
        yield workshop(Path(folder), arguments.sources, arguments.preset, times=times)


def _processor() -> float:
    """The seconds that processors spent on all processes that this one started and that have ended."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def _environment() -> dict[str, str]:
    """An environment in which the copy of the code is found, and is compiled once, as installed code is."""
    unwanted = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE")
    return {name: value for name, value in os.environ.items() if name not in unwanted}


if __name__ == "__main__":
    sys.exit(main())
