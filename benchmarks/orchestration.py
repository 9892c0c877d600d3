"""What Prefect costs a build: nothing changed against a bare flow of as many task runs, cold against `--plain`.

    python -m benchmarks.orchestration [--sources DIR] [--rounds 3] [--cold [ROUNDS]]

Where nothing changed, both run against one server with all its services, as where PREFECT_API_URL is set. With
`--cold` a build of the sources through Prefect, which starts a server of its own as on a machine where none is
configured, is timed against one without Prefect; rounds alternate, and medians count.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.processes import RUN
from flows.local_server import HOST, QUIET, connect, free_port, run_server
from situatedgen.sources import sample_folder

if TYPE_CHECKING:
    from prefect.client.orchestration import SyncPrefectClient

LIMIT_SECONDS = 2.0
LIMIT_RATIO = 1.1
MOST_RUNS = 200
"""The most task runs that a server tells of at once."""
SETTLE_SECONDS = 5
MOST_READS = 20
BARE = """
import sys
from prefect import flow, task

@task
def nothing(number: int) -> int:
    return number

@flow
def bare(count: int) -> list[int]:
    return nothing.map(list(range(count))).result()

bare(int(sys.argv[1]))
"""


def time_process(code: str, *arguments: str) -> float:
    """How long a process takes that runs some code.

    Raises:
        SystemExit: it failed.
    """
    began = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    return time.perf_counter() - began


def compare_cold(sources: Path, preset: str, rounds: int) -> float:
    """Print how long cold builds take through Prefect and without it; returns the ratio."""
    through, plain = list[float](), list[float]()
    for _ in range(rounds):
        for options, times in (((), through), (("--plain",), plain)):
            with tempfile.TemporaryDirectory() as folder:
                times.append(time_process(RUN, *build_words(sources, preset, folder), *options))
    ratio = statistics.median(through) / statistics.median(plain)
    print(f"cold build through Prefect: {describe(through)}")
    print(f"cold build with --plain:    {describe(plain)}")
    print(f"ratio: {ratio:.2f} (limit {LIMIT_RATIO})", flush=True)
    return ratio


def compare_unchanged(sources: Path, preset: str, rounds: int) -> float:
    """Print how long a build takes where nothing changed, and a bare flow; returns the difference in seconds."""
    with tempfile.TemporaryDirectory() as folder, serve(Path(folder)):
        words = build_words(sources, preset, folder)
        time_process(RUN, *words)
        time_process(RUN, *words)
        count = count_task_runs()
        unchanged, bare = list[float](), list[float]()
        for _ in range(rounds):
            bare.append(time_process(BARE, str(count)))
            unchanged.append(time_process(RUN, *words))
    difference = statistics.median(unchanged) - statistics.median(bare)
    print(f"build, nothing changed: {describe(unchanged)}")
    print(f"bare flow of {count} task runs: {describe(bare)}")
    print(f"difference: {difference:.1f} s (limit {LIMIT_SECONDS:.0f} s)")
    return difference


@contextmanager
def serve(home: Path) -> Iterator[None]:
    """A server for all processes that this one starts; without its services it would not write task runs down."""
    port = free_port()
    os.environ.update({**QUIET, "PREFECT_HOME": str(home), "PREFECT_API_URL": f"http://{HOST}:{port}/api"})
    with run_server(port, home):
        yield


def build_words(sources: Path, preset: str, folder: str) -> tuple[str, ...]:
    """The words of the command that builds into a folder."""
    places = ("--store", f"{folder}/store", "--out", f"{folder}/dataset")
    return ("build", "--sources", str(sources), "--preset", preset, "--runner", "threads", *places)


def count_task_runs() -> int:
    """How many task runs the newest flow run of the server has, once the server has written them all down."""
    with connect(os.environ["PREFECT_API_URL"]) as client:
        counts = [-1, 0]
        while counts[-1] != counts[-2] and len(counts) < MOST_READS:
            time.sleep(SETTLE_SECONDS)
            counts.append(_read_count(client))
    if not 0 < counts[-1] < MOST_RUNS:
        raise SystemExit(f"the server tells of {counts[-1]} task runs; expected 1 to {MOST_RUNS - 1}")
    return counts[-1]


def _read_count(client: "SyncPrefectClient") -> int:
    from prefect.client.schemas.filters import FlowRunFilter  # noqa: PLC0415 (reads its settings when imported)
    from prefect.client.schemas.sorting import FlowRunSort  # noqa: PLC0415

    (newest,) = client.read_flow_runs(sort=FlowRunSort.START_TIME_DESC, limit=1)
    chosen = FlowRunFilter.model_validate({"id": {"any_": [newest.id]}})
    return len(client.read_task_runs(flow_run_filter=chosen, limit=MOST_RUNS))


def describe(times: list[float]) -> str:
    """The median of some seconds, and from where to where they go."""
    return f"{statistics.median(times):.1f} s, {min(times):.1f} to {max(times):.1f} s in {len(times)} runs"


def main() -> int:
    """Print the times; 1 when one is beyond its limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=Path, default=sample_folder())
    parser.add_argument("--preset", default="embedded")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each where nothing changed")
    parser.add_argument("--cold", type=int, nargs="?", const=1, default=0, metavar="ROUNDS", help="time cold builds")
    given = parser.parse_args()
    for name in [name for name in os.environ if name.startswith("PREFECT_")]:
        del os.environ[name]
    ratio = compare_cold(given.sources, given.preset, given.cold) if given.cold else 0.0
    difference = compare_unchanged(given.sources, given.preset, given.rounds)
    return int(ratio > LIMIT_RATIO or difference > LIMIT_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
