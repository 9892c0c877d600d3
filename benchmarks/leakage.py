"""The leakage table of datasets, of random packings of their communities, and of the authors' train split.

Run: python -m benchmarks.leakage DATA [--dataset OUT ...] [--write]

DATA is the folder that holds `reference/train.jsonl`, the authors' release. With --write the measures of it are
written to `situatedgen/resources/authors_leakage.toml`, which every card quotes. OUT is a finished dataset folder.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console

from situatedgen.dataset import statistics
from situatedgen.dataset.tables import format_cell
from situatedgen.leakage.released import Authors, against_itself, read_examples, release
from situatedgen.leakage.tables import leakage_rows, release_rows
from situatedgen.models.registry import load
from situatedgen.params import EmbeddingParams
from situatedgen.runtime import Runtime

SHIPPED = Path(__file__).parents[1] / "situatedgen" / "resources" / "authors_leakage.toml"
HEADER = """\
# The leakage of the authors' released train split against itself (dev and test are not at hand).
# Written by: python -m benchmarks.leakage DATA --write
"""


def measured(train: Path) -> Authors:
    """What is told of a released file."""
    encoder = load("encoder", EmbeddingParams().encoder, Runtime())
    return against_itself(release(read_examples(train), encoder))


def toml(values: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """The lines of nested tables and lists of tables; the plain values of each come first."""
    inner = {name: value for name, value in values.items() if _is_nested(value)}
    yield from (f"{name} = {_plain(value)}" for name, value in values.items() if name not in inner)
    for name, value in inner.items():
        brackets = ("[", "]") if isinstance(value, Mapping) else ("[[", "]]")
        for table in [value] if isinstance(value, Mapping) else value:
            yield f"\n{brackets[0]}{path}{name}{brackets[1]}"
            yield from toml(table, f"{path}{name}.")


def _is_nested(value: object) -> bool:
    return isinstance(value, Mapping) or (
        isinstance(value, list | tuple) and any(isinstance(row, dict) for row in value)
    )


def _plain(value: object) -> str:
    return json.dumps(list(value) if isinstance(value, tuple) else value)


def main() -> int:
    """Print the table of the authors' train split and of each dataset."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--dataset", type=Path, action="append", default=[])
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    console = Console(width=200)
    began = time.perf_counter()
    found = measured(asked.data / "reference" / "train.jsonl")
    console.print(format_cell(release_rows(found)))
    print(f"authors' train: {time.perf_counter() - began:.1f} s, most of it the encoder")
    if asked.write:
        SHIPPED.write_text(HEADER + "\n".join(toml(asdict(found))) + "\n", encoding="utf-8")
    for out in asked.dataset:
        told = statistics.read(out / "stats.json").certificate
        if told is not None:
            console.print(format_cell(leakage_rows(told, found)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
