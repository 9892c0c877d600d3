"""What a build costs after each kind of change, against a cold one, and how many texts the models are asked.

    python -m benchmarks.incremental --sources DIR [--converter] [--added] [--growth 1 2 4 8]

Every build is a run of `build --plain` in a process of its own, on a copy of the code and of the sources, so that
code can be edited between two builds. Each change is made several times, each time another one of its kind, and the
median counts. After every build the texts that its tables ask of each model are compared with those of the builds
before: a model must have been asked exactly those that are new. Exits with 1 when a limit or a count is missed.
"""

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import polars as pl
from rich.console import Console
from rich.table import Table

from benchmarks.altering import change_records, repeat_sources
from benchmarks.processes import RUN
from situatedgen.pipeline import PIPELINE
from situatedgen.presets import load
from situatedgen.sources import sample_folder
from storage.batches import questions_of
from storage.builds import Outcome, read_stage
from storage.store import Store

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("situatedgen", "storage", "tasks", "flows")
CHANGED_FILE = "commonsenseqa/train_rand_split.jsonl"
ADDED_SOURCE = "strategyqa"
ONE_PERCENT = 0.01
REPEATS = 3
LENIENT = tuple(f"--set=leakage.{name}=1" for name in ("max_neighbour", "max_close_share", "max_hub_share"))
"""Copies of records are nearer to each other than a dataset's train may be to its test."""
PAIRING = "situatedgen/rules/pairs.py"
CONTAINED = "left.text in right.text or right.text in left.text"
OTHER_RULES = ("left.text == right.text", "left.text in right.text", "right.text in left.text")
OTHER_THRESHOLDS = (0.78, 0.77, 0.79)
CONVERTER = "situatedgen/models/rule_converter.py"
ASKING = [each for each in PIPELINE if each.questions and each.models_of(getattr(load("embedded"), each.name))]
ROLES = [each.models[0] for each in ASKING]
NOTHING, COMMENT, CHANGED_RECORDS = "nothing", "a comment", "1 % of one source"
UNCHANGED_SHARE, UNCHANGED_SECONDS = 0.02, 3.0
CHANGED_SHARE = 0.15


@dataclass(frozen=True)
class Run:
    """A build: what it cost, what came of each artifact, and how many texts were new to each model."""

    seconds: float
    cpu_seconds: float
    outcomes: tuple[Outcome, ...]
    new: dict[str, int]

    @property
    def asked(self) -> dict[str, int]:
        """How many texts the model of each role was asked."""
        return {
            role: sum(one.computed for one in self.outcomes if one.ref.stage == each.name)
            for role, each in zip(ROLES, ASKING, strict=True)
        }

    @property
    def made(self) -> list[str]:
        """The stages of which something was made, not found."""
        return list(dict.fromkeys(one.ref.stage for one in self.outcomes if not one.reused))


@dataclass
class SeenTexts:
    """The texts that the tables of all builds so far ask of the model of each role."""

    seen: dict[str, pl.DataFrame] = field(default_factory=dict)

    def count_new(self, store: Store, outcomes: Sequence[Outcome]) -> dict[str, int]:
        """How many distinct texts of a build no build before it had, by role."""
        return {role: self._add(role, _questions(store, outcomes, role)) for role in ROLES}

    def forget(self, role: str) -> None:
        """Count every text as new to a model whose code changed."""
        self.seen.pop(role, None)

    def _add(self, role: str, questions: pl.DataFrame) -> int:
        before = self.seen.get(role, questions.clear())
        new = questions.join(before, on=questions.columns, how="anti")
        self.seen[role] = pl.concat([before, new])
        return new.height


def _questions(store: Store, outcomes: Sequence[Outcome], role: str) -> pl.DataFrame:
    each = ASKING[ROLES.index(role)]
    refs = {name: [one.ref for one in outcomes if one.ref.stage == name] for name in each.inputs}
    return questions_of(each, [read_stage(store, refs[name], name) for name in each.inputs])


@dataclass(frozen=True)
class Workspace:
    """A folder with a copy of the code and of the sources, and a store."""

    folder: Path
    preset: str
    texts: SeenTexts = field(default_factory=SeenTexts)

    @property
    def sources(self) -> Path:
        """The copy of the sources."""
        return self.folder / "sources"

    def build(self, change: str, *options: str) -> Run:
        """Build on the command line, after a change.

        Raises:
            SystemExit: the build failed.
        """
        store = self.folder / "store"
        command = [sys.executable, "-c", RUN, "build", "--plain", "--json", "--preset", self.preset]
        command += ["--sources", str(self.sources), "--store", str(store), "--out", str(self.folder / "dataset")]
        began, cpu_began = time.perf_counter(), _cpu_seconds()
        done = subprocess.run(
            [*command, *options],
            cwd=self.folder / "code",
            env=_environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        seconds, cpu_seconds = time.perf_counter() - began, _cpu_seconds() - cpu_began
        if done.returncode:
            raise SystemExit(f"after {change}: {done.stderr}")
        outcomes = tuple(map(Outcome.model_validate, json.loads(done.stdout)["artifacts"]))
        print(f"{seconds:8.1f} s, {cpu_seconds:7.1f} s of processors  {change}", file=sys.stderr, flush=True)
        return Run(seconds, cpu_seconds, outcomes, self.texts.count_new(Store(store), outcomes))

    def cold_build(self, *options: str) -> Run:
        """Build into an empty store."""
        shutil.rmtree(self.folder / "store", ignore_errors=True)
        self.texts.seen.clear()
        return self.build("cold", *options)

    def edit(self, path: str, old: str, new: str) -> None:
        """Replace a passage of the code, once.

        Raises:
            SystemExit: the code has no such passage.
        """
        file = self.folder / "code" / path
        text = file.read_text(encoding="utf-8")
        if old not in text:
            raise SystemExit(f"{path} has no {old!r} to edit")
        file.write_text(text.replace(old, new, 1), encoding="utf-8")


@contextmanager
def new_workspace(sources: Path, preset: str, *, times: int = 1) -> Iterator[Workspace]:
    """A scratch workspace, the records of the sources so many times."""
    with tempfile.TemporaryDirectory() as scratch:
        folder, ignored = Path(scratch), shutil.ignore_patterns("__pycache__")
        for package in PACKAGES:
            shutil.copytree(ROOT / package, folder / "code" / package, ignore=ignored)
        repeat_sources(sources, folder / "sources", times)
        yield Workspace(folder, preset)


def run_changes(space: Workspace, repeats: int) -> Iterator[tuple[str, Run]]:
    """A build after each change that few texts or none are asked after, by the kind of change."""
    for _ in range(repeats):
        yield NOTHING, space.build(NOTHING)
    for number in range(repeats):
        space.edit(PAIRING, "def is_contained", f"# Comment {number}.\ndef is_contained")
        yield COMMENT, space.build(COMMENT)
    rules = [CONTAINED, *OTHER_RULES[:repeats]]
    for old, new in pairwise(rules):
        space.edit(PAIRING, old, new)
        yield "a rule of pairs", space.build(f"a rule of pairs: {new}")
    space.edit(PAIRING, rules[-1], CONTAINED)
    for threshold in OTHER_THRESHOLDS[:repeats]:
        run = space.build(f"the threshold of pairs: {threshold}", "--set", f"pairs.min_similarity={threshold}")
        yield "the threshold of pairs", run
    space.build("the rule and the threshold as they were")
    yield from change_one_percent(space, repeats)


def change_one_percent(space: Workspace, repeats: int, *options: str) -> Iterator[tuple[str, Run]]:
    """Builds each after other records of one source were changed: some bring new masked texts, and some do not."""
    for turn in range(repeats):
        changed = change_records(space.sources / CHANGED_FILE, ONE_PERCENT, turn=turn)
        change = f"{CHANGED_RECORDS}: {changed} records"
        yield change, space.build(change, *options)


def change_converter(space: Workspace) -> tuple[str, Run]:
    """A build after the converter's code changed, without effect: it is asked about every question again."""
    space.edit(CONVERTER, 'YES = frozenset({"yes", "true"})', 'YES = frozenset({"yes", "true", "right"})')
    space.texts.forget("converter")
    change = "a rule of the converter"
    return change, space.build(change)


def add_source(space: Workspace) -> tuple[str, Run]:
    """A build in a new store that has one source more than the one before it."""
    aside, change = space.folder / ADDED_SOURCE, f"a source added ({ADDED_SOURCE})"
    (space.sources / ADDED_SOURCE).rename(aside)
    space.build("all but one source, cold")
    aside.rename(space.sources / ADDED_SOURCE)
    return change, space.build(change)


def limit_seconds(change: str, cold: float) -> float | None:
    """How long a build may take after a change; nothing where there is no limit."""
    if change in (NOTHING, COMMENT):
        return max(UNCHANGED_SHARE * cold, UNCHANGED_SECONDS)
    return CHANGED_SHARE * cold if change.startswith(CHANGED_RECORDS) else None


def show(rows: dict[str, list[Run]]) -> list[str]:
    """Print what builds cost after each change; returns what is beyond a limit or a count."""
    header = ("changed", "runs", "median s", "from – to", "of cold", "limit s", "cpu s", "stages made")
    table = Table(*header, *ROLES, title="What a build costs after a change", title_justify="left")
    table.caption = "under each role: the texts its model was asked, in each run where they differ"
    missed: list[str] = []
    cold = median_seconds(rows["cold"])
    for change, runs in rows.items():
        seconds, limit = median_seconds(runs), limit_seconds(change, cold)
        table.add_row(
            change,
            str(len(runs)),
            f"{seconds:.1f}",
            f"{min(run.seconds for run in runs):.1f} – {max(run.seconds for run in runs):.1f}",
            f"{seconds / cold:.1%}",
            f"≤ {limit:.1f}" if limit else "",
            f"{statistics.median(run.cpu_seconds for run in runs):.1f}",
            _format_stages(runs),
            *(_format_counts([run.asked[role] for run in runs]) for role in ROLES),
        )
        if limit and seconds > limit:
            missed.append(f"{change}: {seconds:.1f} s, limit {limit:.1f} s")
        missed += [f"{change}: {miscount}" for run in runs for miscount in find_miscounts(run)]
    Console(width=180).print(table)
    print(f"limits: nothing changed ≤ {UNCHANGED_SHARE:.0%} of cold or {UNCHANGED_SECONDS:.0f} s;", end=" ")
    print(f"{CHANGED_RECORDS} ≤ {CHANGED_SHARE:.0%} of cold; texts asked = new distinct texts")
    return missed


def find_miscounts(run: Run) -> list[str]:
    """Where a model was asked more or fewer texts than were new."""
    return [
        f"{role} was asked {run.asked[role]:,} texts, but {run.new[role]:,} were new"
        for role in ROLES
        if run.asked[role] != run.new[role]
    ]


def median_seconds(runs: Sequence[Run]) -> float:
    """The median of the seconds of some builds."""
    return statistics.median(run.seconds for run in runs)


def _format_stages(runs: Sequence[Run]) -> str:
    made = list(dict.fromkeys(name for run in runs for name in run.made))
    if len(made) == len(PIPELINE):
        return "all"
    return f"{len(made)} from {made[0]}" if made else "none"


def _format_counts(counts: Sequence[int]) -> str:
    return f"{counts[0]:,}" if len(set(counts)) == 1 else ", ".join(f"{count:,}" for count in counts)


def measure_growth(space: Workspace, repeats: int) -> tuple[Run, list[Run]]:
    """A cold build, and builds after 1 % of one source changed."""
    cold = space.cold_build(*LENIENT)
    return cold, [run for _, run in change_one_percent(space, repeats, *LENIENT)]


def show_growth(rows: dict[int, tuple[Run, list[Run]]]) -> None:
    """Print how the cold build and the one after a small change grow with the data, by the clock and by processors."""
    header = ("data", "cold s", "× the first", "1 % changed, median s", "× the first", "of cold")
    for title, spent in (("How it grows", "seconds"), ("The same by processor time", "cpu_seconds")):
        table = Table(*header, title=title, title_justify="left")
        costs = {
            size: (getattr(cold, spent), statistics.median(getattr(run, spent) for run in small))
            for size, (cold, small) in rows.items()
        }
        first_cold, first_small = next(iter(costs.values()))
        for size, (cold, small) in costs.items():
            ratios = f"{cold / first_cold:.2f}", f"{small / first_small:.2f}"
            table.add_row(f"{size} ×", f"{cold:.1f}", ratios[0], f"{small:.1f}", ratios[1], f"{small / cold:.1%}")
        Console(width=150).print(table)


def main() -> int:
    """Print the tables; 1 when a limit or a count is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=Path, default=sample_folder())
    parser.add_argument("--preset", default="embedded")
    parser.add_argument("--repeats", type=int, default=REPEATS, choices=range(1, REPEATS + 1), help="runs per change")
    parser.add_argument("--cold-repeats", type=int, default=1, metavar="N", help="cold builds")
    parser.add_argument("--converter", action="store_true", help="change the converter `rules`, too (long)")
    parser.add_argument("--added", action="store_true", help="add a source to a second cold build, too (long)")
    parser.add_argument(
        "--growth", type=int, nargs="*", default=[], metavar="TIMES", help="only sizes, such as 1 2 4 8"
    )
    given = parser.parse_args()
    missed = grow(given) if given.growth else change(given)
    print("\n".join(["beyond the limits:", *missed] if missed else ["all within the limits"]))
    return int(bool(missed))


def change(given: argparse.Namespace) -> list[str]:
    """Run the builds after changes and print their table; returns what is beyond a limit or a count."""
    rows: dict[str, list[Run]] = {}
    with new_workspace(given.sources, given.preset) as space:
        rows["cold"] = [space.cold_build() for _ in range(given.cold_repeats)]
        for name, run in run_changes(space, given.repeats):
            rows.setdefault(name, []).append(run)
        if given.converter:
            name, run = change_converter(space)
            rows[name] = [run]
    if given.added:
        with new_workspace(given.sources, given.preset) as space:
            name, run = add_source(space)
            rows[name] = [run]
    return show(rows)


def grow(given: argparse.Namespace) -> list[str]:
    """Run the builds of each size and print their tables; returns what is beyond a limit or a count."""
    rows: dict[int, tuple[Run, list[Run]]] = {}
    missed: list[str] = []
    for times in given.growth:
        with new_workspace(given.sources, given.preset, times=times) as space:
            cold, small = rows[times] = measure_growth(space, given.repeats)
        show_growth(rows)
        missed += [f"{times} ×: {miscount}" for run in (cold, *small) for miscount in find_miscounts(run)]
        if median_seconds(small) > CHANGED_SHARE * cold.seconds:
            missed.append(f"{times} ×: {CHANGED_RECORDS} takes {median_seconds(small) / cold.seconds:.1%} of cold")
    return missed


def _cpu_seconds() -> float:
    """The processor seconds of all processes that this one started and that have ended."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def _environment() -> dict[str, str]:
    """An environment in which the copy of the code is found, and is compiled once, as installed code is."""
    unwanted = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE")
    return {name: value for name, value in os.environ.items() if name not in unwanted}


if __name__ == "__main__":
    sys.exit(main())
