"""What a dataset is worth: how broad it is, what its judge expects, and what readers found in it.

python -m benchmarks.quality --dataset DIR [--store STORE] [--read READ.jsonl] [--draw N --out PAIRS.jsonl]

Prints the size and the breadth of a dataset by split; with its store, the curve of what other thresholds of the judge
would give. `--draw` writes random pairs of dev and test for readers, without what the judge thinks of them; `--read`
takes them back, each with `fluent`, `antithesis`, `dependent` and `common`, and prints the shares with 95 % intervals.
"""

import argparse
import json
import math
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import polars as pl
from rich.console import Console
from rich.table import Table

from situatedgen.models.registry import load
from situatedgen.params import JudgedParams, ParseParams, SelectedParams
from situatedgen.rules.selection import family_of
from situatedgen.runtime import Runtime
from situatedgen.schemas import VERDICT
from situatedgen.stages.selected import selected
from situatedgen.vocabulary import Split, Verdict
from storage.builds import Tables, latest
from storage.store import Store

Row = dict[str, Any]  # Any: parsed JSON
THRESHOLDS = (0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8)
CRITERIA = ("fluent", "true", "antithesis", "dependent", "common")
TOP = 0.1
"""The share of the sentences whose slots are counted as those of the top."""


def read_dataset(folder: Path) -> dict[str, list[Row]]:
    """The examples of a dataset by split."""
    return {split.value: read_lines(folder / "data" / f"{split.value}.jsonl") for split in Split}


def read_lines(path: Path) -> list[Row]:
    """The rows of a JSON-lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def find_families(examples: Iterable[Row]) -> dict[str, str]:
    """The family of each sentence."""
    texts = sorted({text for row in examples for text in row["statements"]})
    parser = load("parser", ParseParams().parser, Runtime())
    return {text: family_of(words) for text, words in zip(texts, parser.parse(texts), strict=True)}


def effective_number(counts: Counter[str]) -> float:
    """The exponential of the entropy: of how many equally large families the spread is like."""
    total = counts.total()
    return math.exp(-sum(n / total * math.log(n / total) for n in counts.values())) if total else 0.0


def describe(examples: Sequence[Row], families: dict[str, str]) -> list[str]:
    """Sizes and breadth of some examples, as cells of the table."""
    slots = Counter(text for row in examples for text in row["statements"])
    by_family = Counter(families[text] for row in examples for text in row["statements"])
    contexts = Counter(row["context"] for row in examples)
    top = sum(count for _, count in slots.most_common(math.ceil(TOP * len(slots))))
    total = max(slots.total(), 1)
    family, most = (by_family.most_common(1) or [("", 0)])[0]
    return [
        f"{len(examples):,}",
        f"{len(slots):,}",
        f"{effective_number(by_family):.1f}",
        f"{most / total:.1%} ({family})",
        f"{top / total:.1%}",
        ", ".join(f"{name} {count / max(len(examples), 1):.0%}" for name, count in sorted(contexts.items())),
        f"{sum(row['probability'] or 0 for row in examples) / max(len(examples), 1):.1%}",
    ]


def breadth_table(dataset: dict[str, list[Row]]) -> Table:
    """Size and breadth of a dataset, by split and as a whole."""
    table = Table("", "pairs", "sentences", "effective families", "largest", "top tenth", "contexts", "expected")
    everything = [row for rows in dataset.values() for row in rows]
    families = find_families(everything)
    for name, rows in (*dataset.items(), ("whole", everything)):
        table.add_row(name, *describe(rows, families))
    return table


def curve_table(store: Store) -> Table:
    """What other thresholds of the judge would select, and how much of it the judge expects to be valid."""
    table = Table("threshold", "pairs", "sentences", "effective families", "expected valid", title="The judge's curve")
    build = latest(store)
    tables = Tables(store, build)
    params = SelectedParams.model_validate(build.settings["selected"])
    judged = JudgedParams.model_validate(build.settings["judged"])
    parts = pl.col("fluent") >= judged.min_fluent, pl.col("common") >= judged.min_common
    texts = dict(tables["statements"].select("statement_id", "text").iter_rows())
    for threshold in THRESHOLDS:
        likely = (
            tables["judged"]
            .filter(pl.col("probability") >= threshold, *parts)
            .with_columns(verdict=pl.lit(Verdict.KEPT, VERDICT))
        )
        chosen = selected(tables["statements"], tables["parses"], likely, params=params)
        kept = chosen.filter(pl.col("verdict") == Verdict.KEPT)
        rows = [
            {"statements": [texts[left], texts[right]]} for left, right in kept.select("left_id", "right_id").rows()
        ]
        families = find_families(rows)
        counts = Counter(families[text] for row in rows for text in row["statements"])
        sentences = len({text for row in rows for text in row["statements"]})
        expected = sum(kept["probability"]) / max(kept.height, 1)
        table.add_row(
            f"{threshold}", f"{len(rows):,}", f"{sentences:,}", f"{effective_number(counts):.1f}", f"{expected:.1%}"
        )
    return table


def draw_pairs(dataset: dict[str, list[Row]], number: int, seed: int) -> list[Row]:
    """Random pairs of dev and test, as a reader sees them."""
    held_back = [*dataset["dev"], *dataset["test"]]
    chosen = random.Random(seed).sample(held_back, min(number, len(held_back)))
    return [{"example_id": row["example_id"], "statements": row["statements"]} for row in chosen]


def reading_table(read: Sequence[Row]) -> Table:
    """The share of pairs for which readers found each criterion, and for which all that a valid pair needs."""
    table = Table("", "share", "95 % interval", title=f"{len(read)} readings")
    for name in (*CRITERIA, "valid", "common, of the valid"):
        rows = [row for row in read if is_valid(row)] if "of the" in name else read
        found = [is_valid(row) if name == "valid" else bool(row[name.split(",")[0]]) for row in rows]
        low, high = wilson(sum(found), len(found))
        table.add_row(name, f"{sum(found) / max(len(found), 1):.1%}", f"{low:.1%} to {high:.1%}")
    return table


def is_valid(row: Row) -> bool:
    """Whether a reader found all that a valid pair needs."""
    return bool(row["fluent"] and row["antithesis"] and row["dependent"])


def wilson(found: int, number: int, z: float = 1.96) -> tuple[float, float]:
    """Wilson's interval of a share."""
    if not number:
        return 0.0, 1.0
    share, squared = found / number, z**2 / number
    middle, spread = share + squared / 2, z * math.sqrt(share * (1 - share) / number + squared / (4 * number))
    return (middle - spread) / (1 + squared), (middle + spread) / (1 + squared)


def main() -> None:
    """Print the tables that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dataset", type=Path, required=True, help="The folder of a dataset.")
    parser.add_argument("--store", help="The store of its build, for the curve.")
    parser.add_argument("--read", type=Path, help="Pairs that were read.")
    parser.add_argument("--draw", type=int, default=0, help="Write so many random pairs of dev and test to --out.")
    parser.add_argument("--out", type=Path, help="Where to write them.")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    console, dataset = Console(width=140), read_dataset(given.dataset)
    if given.draw and given.out:
        lines = (json.dumps(row, ensure_ascii=False) for row in draw_pairs(dataset, given.draw, given.seed))
        given.out.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return
    console.print(breadth_table(dataset))
    if given.store:
        console.print(curve_table(Store.at(given.store)))
    if given.read:
        console.print(reading_table(read_lines(given.read)))


if __name__ == "__main__":
    main()
