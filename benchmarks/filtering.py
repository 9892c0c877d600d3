"""What filters make of the situated choice: `python -m benchmarks.filtering OUT --store STORE --into FOLDER`.

OUT is a finished dataset, STORE the store that it was built in. Both filters work on the same questions, FOLDER/af
and FOLDER/aflite; a run that was cut short goes on. Exits with 1 when the committee's accuracy is not within five
points of chance in the end.
"""

import argparse
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from flows.cli.filter import format_step
from situatedgen.filtering import baselines
from situatedgen.filtering.make import PREPARED, Made
from situatedgen.filtering.settings import filter_settings
from situatedgen.runtime import Runtime
from storage.filtering import FilterRequest, filter_dataset
from storage.store import Store

METHODS = ("af", "aflite")
DECIDES, REACH = "ensemble", 0.05


@dataclass(frozen=True)
class Measured:
    """What a filter made, and the processor time that it took in this run."""

    method: str
    made: Made
    seconds: float


def measured(given: argparse.Namespace) -> Iterator[Measured]:
    """What each filter makes; what the first got ready the second finds."""
    for method in METHODS:
        print(f"\n{method}")
        began = time.process_time()
        out = given.into / method
        if (given.into / METHODS[0] / PREPARED).is_dir() and not out.exists():
            shutil.copytree(given.into / METHODS[0] / PREPARED, out / PREPARED)
        settings = filter_settings(method, None, given.set or ())
        order = FilterRequest(given.dataset, Store.at(given.store), out, settings, Runtime(threads=given.threads))
        made = filter_dataset(order, listener=lambda step: print(format_step(step), flush=True))
        yield Measured(method, made, time.process_time() - began)


def table(results: list[Measured]) -> Iterator[str]:
    """Accuracies by member, before and after each filter, and what it cost."""
    first = results[0].made
    yield f"{'':<12}{'before':>9}" + "".join(f"{one.method:>9}" for one in results)
    for name, before in first.before.items():
        yield f"{name:<12}{before:>9.1%}" + "".join(f"{one.made.after[name]:>9.1%}" for one in results)
    pairs = first.counts["kept"]
    yield f"{'questions':<12}{pairs:>9,}" + "".join(f"{one.made.questions.height:>9,}" for one in results)
    yield f"{'processor s':<12}{'':>9}" + "".join(f"{one.seconds:>9.0f}" for one in results)


def simple(results: list[Measured]) -> Iterator[str]:
    """What baselines answered before, and after each filter."""
    asked = {"before": results[0].made.baselines["before"]}
    asked |= {one.method: one.made.baselines["after"] for one in results}
    for row in (baselines.header(asked), *baselines.rows(asked)):
        yield f"| {' | '.join(row)} |"


def main() -> int:
    """Run both filters, print the curve and the table; 0 when the goal is reached."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--store", required=True)
    parser.add_argument("--into", type=Path, required=True)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--set", action="append", metavar="KEY=VALUE")
    results = list(measured(parser.parse_args()))
    print("\n" + "\n".join(table(results)) + "\n\n" + "\n".join(simple(results)))
    after = results[0].made.after[DECIDES]
    chance = 1 / len(results[0].made.questions["choices"][0])
    holds = after <= chance + REACH
    print(f"\ncommittee {after:.1%}, chance {chance:.0%}: {'within' if holds else 'not within'} five points")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
