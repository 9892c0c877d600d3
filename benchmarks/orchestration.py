"""A build through Prefect in which nothing changed, against a bare flow of as many tasks.

    python -m benchmarks.orchestration [--rounds 3]

Both start a server of their own, as `situatedgen build` does where none is configured, and end it.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REACH = 2.0
BUILD = "from flows.cli.app import main; main()"
BARE = """
from flows.local_server import api
with api():
    from prefect import flow, task
    from prefect.task_runners import ThreadPoolTaskRunner

    @task
    def nothing(number: int) -> int:
        return number

    @flow(task_runner=ThreadPoolTaskRunner(max_workers=1))
    def bare(count: int) -> list[int]:
        return [nothing.submit(number).result() for number in range(count)]

    bare({count})
"""


def seconds(code: str, *arguments: str) -> float:
    """How long a process takes that runs some code."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", code, *arguments], check=True, capture_output=True)
    return time.perf_counter() - began


def main() -> int:
    """Prints both times and their difference; 1 when it is too large."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        options = ("build", "--preset", "tiny", "--store", f"{folder}/store", "--out", f"{folder}/dataset")
        seconds(BUILD, *options)
        # Every artifact is a task run, and so are the plan, the publication and the report.
        tasks = len(list(Path(folder, "store", "keys").glob("*/*.json"))) + 3
        bare, ours = [], []
        for _ in range(rounds):
            bare.append(seconds(BARE.format(count=tasks)))
            ours.append(seconds(BUILD, *options))
    difference = statistics.median(ours) - statistics.median(bare)
    print(f"bare flow of {tasks} tasks: {statistics.median(bare):.1f} s, of {rounds} rounds")
    print(f"build, nothing changed:  {statistics.median(ours):.1f} s")
    print(f"difference: {difference:.1f} s (reach ≤ {REACH:.0f} s)")
    return int(difference > REACH)


if __name__ == "__main__":
    sys.exit(main())
