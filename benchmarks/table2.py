"""Table 2 recomputed from the authors' released files, beside the paper's numbers.

Run: python -m benchmarks.table2 RELEASE_FOLDER (which holds train.jsonl, and dev.jsonl and test.jsonl if you
have them). Exits with 1 when a number differs.
"""

import argparse
import json
import sys
from dataclasses import astuple
from pathlib import Path

import polars as pl

from situatedgen.dataset.counts import split_counts
from situatedgen.dataset.statistics import SplitCounts
from situatedgen.vocabulary import Split

ROWS = (
    "pairs",
    "unique sentences",
    "sentences per pair",
    "unique keywords",
    "average keywords",
    "average tokens",
)
PAPER = {
    Split.TRAIN: (5641, 788, 0.14, 1847, 7.34, 20.89),
    Split.DEV: (1407, 309, 0.22, 725, 6.96, 24.08),
    Split.TEST: (1220, 341, 0.28, 851, 6.89, 20.61),
}


def main() -> int:
    """Print both columns of each split that is there; how many numbers differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the folder of the authors' release")
    folder: Path = parser.parse_args().folder
    found = {split: folder / f"{split.value}.jsonl" for split in Split}
    examples = pl.concat([_examples(split, path) for split, path in found.items() if path.exists()])
    return sum(_compared(counts) for counts in split_counts(examples) if counts.pairs)


def _examples(split: Split, path: Path) -> pl.DataFrame:
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return pl.DataFrame(
        {
            "split": [split.value] * len(records),
            "keywords": [record["keywords"] for record in records],
            "statements": [record["statements"] for record in records],
        }
    )


def _compared(counts: SplitCounts) -> int:
    print(f"{counts.split.value:22}{'ours':>10}{'paper':>10}")
    ours = [round(value, 2) for value in astuple(counts)[1:]]
    for name, value, expected in zip(ROWS, ours, PAPER[counts.split], strict=True):
        print(f"  {name:20}{value:>10}{expected:>10}  {'equal' if value == expected else 'DIFFERS'}")
    return sum(value != expected for value, expected in zip(ours, PAPER[counts.split], strict=True))


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
