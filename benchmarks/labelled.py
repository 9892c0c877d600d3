"""What two readers said of 200 pairs of the unscreened dataset, and how far they agree.

python -m benchmarks.labelled
"""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

LABELS = Path(__file__).parent / "labels" / "pairs.jsonl"
CRITERIA = ("fluent", "antithesis", "dependent")
READERS = ("first", "second")


def answers(rows: Sequence[dict[str, Any]], reader: str, criterion: str) -> list[bool]:  # Any: parsed JSON
    """What a reader said of each pair; a pair is valid when all criteria hold."""
    asked = CRITERIA if criterion == "valid" else (criterion,)
    return [all(row[reader][each] for each in asked) for row in rows]


def kappa(first: Sequence[bool], second: Sequence[bool]) -> float:
    """Cohen's kappa of two readers: agreement beyond what their shares alone would give; 1 where all agree."""
    size = len(first)
    agreed = sum(one == other for one, other in zip(first, second, strict=True)) / size
    shares = sum(first) / size, sum(second) / size
    expected = shares[0] * shares[1] + (1 - shares[0]) * (1 - shares[1])
    return 1.0 if expected == 1 else (agreed - expected) / (1 - expected)


def main() -> None:
    """Print the table, and the commonest faults."""
    rows = [json.loads(line) for line in LABELS.read_text(encoding="utf-8").splitlines()]
    table = Table("", *(f"{reader} reader" for reader in READERS), "agree", "kappa", title=f"{len(rows)} pairs")
    for criterion in (*CRITERIA, "valid"):
        said = [answers(rows, reader, criterion) for reader in READERS]
        agree = sum(one == other for one, other in zip(*said, strict=True)) / len(rows)
        shares = (f"{sum(each) / len(rows):.1%}" for each in said)
        table.add_row(criterion, *shares, f"{agree:.1%}", f"{kappa(*said):.2f}")
    Console().print(table)
    for reader in READERS:
        print(reader, dict(Counter(row[reader]["fault"] or "none" for row in rows).most_common()))


if __name__ == "__main__":
    main()
