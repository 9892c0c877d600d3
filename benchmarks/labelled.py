"""What readers said of pairs, ours and the authors', and of questions of situated choice.

python -m benchmarks.labelled
"""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

LABELS = Path(__file__).parent / "labels"
SHOWN = {
    "authors.jsonl": "pairs of the authors' train split",
    "pairs.jsonl": "pairs of `embedded` of version 0.1, read more strictly",
    "embedded_dev.jsonl": "pairs of dev of `embedded` of version 0.1",
    "strict_dev.jsonl": "pairs of dev of `strict` of version 0.1",
    "judged_dev_test.jsonl": "pairs of dev and test of `embedded`, judged and selected",
}
QUESTIONS = "choice.jsonl"
"""Questions of situated choice, by one reader."""
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


def read(name: str) -> list[dict[str, Any]]:  # Any: parsed JSON
    """The labelled pairs of a file."""
    return [json.loads(line) for line in (LABELS / name).read_text(encoding="utf-8").splitlines()]


def agreement_table(rows: Sequence[dict[str, Any]], title: str) -> Table:  # Any: parsed JSON
    """The share of pairs for which each criterion holds by each reader, and how far they agree."""
    table = Table("", *(f"{reader} reader" for reader in READERS), "agree", "kappa", title=f"{len(rows)} {title}")
    for criterion in (*CRITERIA, "valid"):
        said = [answers(rows, reader, criterion) for reader in READERS]
        agree = sum(one == other for one, other in zip(*said, strict=True)) / len(rows)
        shares = (f"{sum(each) / len(rows):.1%}" for each in said)
        table.add_row(criterion, *shares, f"{agree:.1%}", f"{kappa(*said):.2f}")
    return table


def choice_table(rows: Sequence[dict[str, Any]]) -> Table:  # Any: parsed JSON
    """Of how many questions the marked answer is what the reader took, the only right one, true, and good English."""
    table = Table("", "questions", "taken", "only right one", "true", "fluent", title="Questions of situated choice")
    for when in dict.fromkeys(row["when"] for row in rows):
        said = [(row["first"], row["label"]) for row in rows if row["when"] == when]
        taken = sum(one["best"] == label for one, label in said)
        alone = sum(not one["also_right"] for one, _ in said)
        rest = (sum(one[each] for one, _ in said) for each in ("true", "fluent"))
        table.add_row(when, *map(str, (len(said), taken, alone, *rest)))
    return table


def main() -> None:
    """Print the tables and the commonest faults."""
    console = Console()
    for name, title in SHOWN.items():
        rows = read(name)
        console.print(agreement_table(rows, title))
        for reader in READERS:
            print(reader, dict(Counter(row[reader]["fault"] or "none" for row in rows).most_common(8)))
    console.print(choice_table(read(QUESTIONS)))


if __name__ == "__main__":
    main()
