"""What readers said of pairs before and after screening and of the authors' own, and what screening says of them.

What a reader said of questions of situated choice, before and after filtering, too.

python -m benchmarks.labelled [--store STORE] [--strict STORE]

With the store of a build of the five sources by the preset `embedded`, each check is held against the labels; with one
by `strict`, its `doubt`.
"""

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

import polars as pl
from rich.console import Console
from rich.table import Table

from situatedgen.presets import load
from situatedgen.vocabulary import CHECKS, Verdict
from storage import builds
from storage.store import Store

LABELS = Path(__file__).parent / "labels"
CHECKED = "pairs.jsonl"
SHOWN = {
    "authors.jsonl": "pairs of the authors' train split",
    CHECKED: "pairs of `embedded`, read more strictly",
    "embedded_dev.jsonl": "pairs of dev of `embedded`",
    "strict_dev.jsonl": "pairs of dev of `strict`",
}
TUNING = "tuning.jsonl"
"""Pairs that the rules were mended on; some have one reader."""
QUESTIONS = "choice.jsonl"
"""Questions of situated choice, by one reader."""
CRITERIA = ("fluent", "antithesis", "dependent")
READERS = ("first", "second")
STEPS = (0, 0.1, 0.2, 0.3, 0.4)


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


def tuned_table(rows: Sequence[dict[str, Any]], store: Store) -> Table:  # Any: parsed JSON
    """How often the pairs that a build of `strict` keeps were found valid, among those the rules were mended on."""
    build = builds.latest(store)
    kept = builds.table(store, build, "screening").filter(pl.col("verdict") == Verdict.KEPT)
    doubt = {frozenset(pair): each for *pair, each in kept.select("left_id", "right_id", "doubt").iter_rows()}
    table = Table("doubt", "pairs", "read", "valid", title="Pairs that `strict` keeps, and what readers said of them")
    said = [(doubt.get(frozenset((row["left_id"], row["right_id"]))), _validity(row)) for row in rows]
    for low, high in pairwise(STEPS):
        inside = [valid for each, valid in said if each is not None and low <= each < high]
        among = sum(low <= each < high for each in doubt.values())
        table.add_row(f"{low}–{high}", f"{among:,}", str(len(inside)), f"{fmean(inside):.0%}" if inside else "–")
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


def _validity(row: dict[str, Any]) -> float:  # Any: parsed JSON
    return fmean(all(row[reader][each] for each in CRITERIA) for reader in READERS if reader in row)


def main() -> None:
    """Print the tables, the commonest faults, and how screening does."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", default="", help="Store of a build of the five sources by the preset `embedded`.")
    parser.add_argument("--strict", default="", help="Store whose latest build is of the preset `strict`.")
    arguments = parser.parse_args()
    console = Console()
    for name, title in SHOWN.items():
        rows = read(name)
        console.print(agreement_table(rows, title))
        for reader in READERS:
            print(reader, dict(Counter(row[reader]["fault"] or "none" for row in rows).most_common(8)))
    console.print(choice_table(read(QUESTIONS)))
    if arguments.store:
        screening_report(read(CHECKED), Store.at(arguments.store), console)
    if arguments.strict:
        console.print(tuned_table(read(TUNING), Store.at(arguments.strict)))


if __name__ == "__main__":
    main()
