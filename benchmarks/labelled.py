"""What readers said of pairs before and after screening, how far they agree, and what screening says of them.

python -m benchmarks.labelled [--store STORE]

With the store of a build of the five sources by the preset `embedded`, each check is held against the labels.
"""

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
from rich.console import Console
from rich.table import Table

from situatedgen.presets import load
from situatedgen.vocabulary import CHECKS
from storage import builds
from storage.store import Store

LABELS = Path(__file__).parent / "labels"
BEFORE, AFTER, WIDE = "pairs.jsonl", "strict.jsonl", "wide.jsonl"
POPULATION = {"": 4_169, "other_roles": 2_491, "unlike_subjects": 2_395, "true_of_many": 1_210, "other_relation": 7_940}
"""Pairs of the five sources that fail this check alone or none, and stand: what the wide sample was drawn from."""
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


def screened(rows: Sequence[dict[str, Any]], store: Store) -> pl.DataFrame:  # Any: parsed JSON
    """The pairs with whether both readers found them valid, and what screening said of them in the latest build."""
    valid = [all(both) for both in zip(*(answers(rows, reader, "valid") for reader in READERS), strict=True)]
    ids = [dict(zip(("left_id", "right_id"), sorted((row["left_id"], row["right_id"])), strict=True)) for row in rows]
    labels = pl.DataFrame(ids).with_columns(pl.Series("valid", valid))
    screening = builds.table(store, builds.latest(store), "screening")
    return labels.join(screening.select("left_id", "right_id", "flags", "doubt"), on=["left_id", "right_id"])


def check_table(found: pl.DataFrame) -> Table:
    """For each check: pairs flagged, how many of these are invalid, and how many of the invalid it flags."""
    table = Table(
        "check", "flagged", "precision", "recall", title=f"{found.height} of the labelled pairs were screened"
    )
    invalid = found.filter(~pl.col("valid")).height
    for name in CHECKS:
        flagged = found.filter(pl.col("flags").list.contains(name))
        wrong = flagged.filter(~pl.col("valid")).height
        precision = f"{wrong / flagged.height:.0%}" if flagged.height else "–"
        table.add_row(name, str(flagged.height), precision, f"{wrong / invalid:.0%}")
    return table


def share(found: pl.DataFrame) -> str:
    """How many of some pairs are valid."""
    valid = found.filter("valid").height
    return f"{valid} of {found.height} valid ({valid / max(found.height, 1):.0%})"


def screening_report(rows: Sequence[dict[str, Any]], store: Store, console: Console) -> None:
    """Print how each check does, and the share of valid pairs before and after."""
    found = screened(rows, store)
    console.print(check_table(found))
    strict = load("strict").screening
    passed = found.filter(pl.col("flags").list.set_intersection(list(strict.drop)).list.len() == 0)
    console.print("before:", share(found), highlight=False)
    console.print("after the checks of `strict`:", share(passed), highlight=False)
    left = passed.filter(pl.col("doubt") <= strict.max_doubt)
    console.print(f"with doubt at most {strict.max_doubt}, too:", share(left), highlight=False)


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


def supply_table(rows: Sequence[dict[str, Any]]) -> Table:  # Any: parsed JSON
    """How many valid pairs there are to be found at all, by what they fail, as far as a sample tells."""
    table = Table("fails", "pairs", "read", "valid", "valid pairs", title="Valid pairs that the sources hold")
    total = 0.0
    for check, population in POPULATION.items():
        said = answers([row for row in rows if row["fails"] == check], "first", "valid")
        share = sum(said) / len(said)
        total += share * population
        found = f"{share * population:,.0f}"
        table.add_row(check or "no check", f"{population:,}", str(len(said)), f"{share:.0%}", found)
    table.add_row("all", f"{sum(POPULATION.values()):,}", str(len(rows)), "", f"{total:,.0f}")
    return table


def main() -> None:
    """Print the tables, the commonest faults, and how screening does."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", default="", help="Store of a build of the five sources by the preset `embedded`.")
    arguments = parser.parse_args()
    console = Console()
    for name, title in ((BEFORE, "pairs before screening"), (AFTER, "pairs of `strict`")):
        rows = read(name)
        console.print(agreement_table(rows, title))
        for reader in READERS:
            print(reader, dict(Counter(row[reader]["fault"] or "none" for row in rows).most_common()))
    console.print(supply_table(read(WIDE)))
    if arguments.store:
        screening_report(read(BEFORE), Store.at(arguments.store), console)


if __name__ == "__main__":
    main()
