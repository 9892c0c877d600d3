"""How far a build agrees with what the authors released: `python -m benchmarks.agreement DATA --store STORE`.

DATA holds `reference/statements.jsonl` and `reference/train.jsonl`; STORE is the store of a finished build
of the five real sources. Exits with 1 when a number is out of reach.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from benchmarks.conversion import SURE, equal, token_f1, words
from benchmarks.given import found_pairs
from benchmarks.released import Release, is_there, read
from situatedgen.conversion.confidence import lost_words
from situatedgen.conversion.inversion import split_sentences
from situatedgen.vocabulary import Context, ItemKind, Verdict
from storage import builds
from storage.store import Store

Tables = Mapping[str, pl.DataFrame]

ITEMS = {"arc": 7787, "commonsenseqa": 10962, "creak": 5779, "openbookqa": 6492, "strategyqa": 5111}
SAME_TEXT = ("creak", "openbookqa")
CHOICE_SOURCES = ("commonsenseqa", "arc")
AUTHORS = {
    "pairs": 12710,
    "statements": 1618,
    "communities": 79,
    "share of pairs cut": 0.26,
    "pairs left": 9378,
}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the report: what was measured, its value, what it should reach, and whether it does."""

    what: str
    value: str
    reach: str
    holds: bool | None = None


def lines(tables: Tables, release: Release) -> Iterator[Line]:
    """Every measure of a build against what was released of the items it read."""
    release = _built(release, set(tables["items"]["item_id"]))
    yield from item_lines(tables["items"])
    yield from kept_lines(tables, release)
    yield from conversion_lines(tables["statements"], release)
    yield from answer_lines(tables)
    yield given_line(release)
    yield from size_lines(tables)
    yield from leak_lines(tables)


def item_lines(items: pl.DataFrame) -> Iterator[Line]:
    """The items of each source against their true number."""
    kept = dict(items.filter(pl.col("verdict") == Verdict.KEPT).group_by("source").len().iter_rows())
    for source, expected in ITEMS.items():
        found = kept.get(source, 0)
        yield Line(f"items of {source}", f"{found:,}", f"{expected:,}", found == expected)


def kept_lines(tables: Tables, release: Release) -> Iterator[Line]:
    """The share of released statements in which we too find a place or a time, and where the others went."""
    situated = tables["masks"].filter(pl.col("context") != Context.NONE)
    ids = set(situated["statement_id"])
    texts = {" ".join(words(text)) for text in _texts(tables, situated)}
    same = {
        one: " ".join(words(one.text)) in texts if one.source in SAME_TEXT else one.statement_id in ids
        for one in release.statements
    }
    for source in sorted(ITEMS):
        yield Line(
            f"  released statements kept, {source}", _share([same[one] for one in same if one.source == source]), ""
        )
    stated = set(tables["masks"]["statement_id"])
    hits = [same[one] for one in same if one.statement_id in stated]
    yield Line("  released statements kept, of those that we could state", _share(hits), "")
    yield _share_line("released statements kept by entities", list(same.values()), 0.9)


def conversion_lines(statements: pl.DataFrame, release: Release) -> Iterator[Line]:
    """Multiple-choice statements of one-sentence stems against the released ones."""
    ours = dict(statements.select("statement_id", "text").iter_rows())
    single = [
        (ours.get(one.statement_id, ""), one.text)
        for one in release.statements
        if one.source in CHOICE_SOURCES and len(split_sentences(one.question)) == 1
    ]
    yield _share_line("multiple choice, one-sentence stems: equal", [equal(*pair) for pair in single], 0.57)
    f1 = sum(token_f1(*pair) for pair in single) / max(len(single), 1)
    yield Line("multiple choice, one-sentence stems: token F1", f"{f1:.3f}", "≥ 0.955", f1 >= 0.955)
    choices = statements.filter(pl.col("source").is_in(CHOICE_SOURCES))
    yield _share_line("multiple choice: sure", (choices["confidence"] >= SURE).to_list(), 0.75)


def answer_lines(tables: Tables) -> Iterator[Line]:
    """Statements of the dataset that lost words of the answer."""
    used = tables["examples"].select(pl.col("ids").explode().unique().alias("statement_id"))
    items = tables["items"].filter(pl.col("kind") == ItemKind.CHOICE).rename({"item_id": "statement_id"})
    joined = used.join(items.select("statement_id", "answer"), on="statement_id").join(
        tables["statements"].select("statement_id", "text"), on="statement_id"
    )
    lost = [id_ for id_, answer, text in joined.sort("statement_id").iter_rows() if lost_words(answer, text)]
    yield Line("statements in the dataset that lost the answer", f"{len(lost)} of {len(joined)}", "0", not lost)
    yield from (Line(f"  {id_}", "", "") for id_ in lost[:5])


def given_line(release: Release) -> Line:
    """The share of released train pairs that our later stages find among the released statements."""
    found = found_pairs(release.train_texts)
    return _share_line(
        "released train pairs found, given the released statements",
        [pair in found for pair in sorted(release.train_pairs)],
        0.8,
    )


def size_lines(tables: Tables) -> Iterator[Line]:
    """Pairs, statements, communities and what the split cut, beside the authors' numbers."""
    pairs = tables["pairs"].filter(pl.col("verdict") == Verdict.KEPT)
    cut = tables["splits"].filter(pl.col("verdict") != Verdict.KEPT).height
    ours = {
        "pairs": pairs.height,
        "statements": pl.concat([pairs["left_id"], pairs["right_id"]]).n_unique(),
        "communities": tables["communities"]["community"].n_unique(),
        "share of pairs cut": cut / max(pairs.height, 1),
        "pairs left": pairs.height - cut,
    }
    for name, value in ours.items():
        yield Line(f"{name} (the authors': {_figure(AUTHORS[name])})", _figure(value), "")


def leak_lines(tables: Tables) -> Iterator[Line]:
    """Ids, statement texts and masked templates that stand in two splits."""
    placed = tables["examples"].select("split", statement_id=pl.col("ids")).explode("statement_id").unique()
    placed = placed.join(tables["statements"].select("statement_id", "text"), on="statement_id")
    placed = placed.join(tables["masks"].select("statement_id", "masked_text"), on="statement_id")
    for what, column in (("ids", "statement_id"), ("texts", "text"), ("templates", "masked_text")):
        splits = placed.group_by(column).agg(pl.col("split").n_unique().alias("splits"))
        leaked = splits.filter(pl.col("splits") > 1).height
        yield Line(f"{what} in two splits", str(leaked), "0", leaked == 0)


def _built(release: Release, item_ids: set[str]) -> Release:
    """The release without the statements of items that a build of fewer files did not read."""
    return replace(release, statements=tuple(one for one in release.statements if one.statement_id in item_ids))


def _texts(tables: Tables, rows: pl.DataFrame) -> list[str]:
    joined = rows.select("statement_id").join(tables["statements"], on="statement_id")
    return joined["text"].to_list()


def _share_line(what: str, hits: list[bool], reach: float) -> Line:
    return Line(what, _share(hits), f"≥ {reach}", sum(hits) >= reach * len(hits))


def _share(hits: list[bool]) -> str:
    return f"{sum(hits) / max(len(hits), 1):.3f} ({sum(hits):,} of {len(hits):,})"


def _figure(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.1%}"


def report(data: Path, store: Store) -> int:
    """Print every line; how many are out of reach."""
    tables = builds.Tables(store, builds.latest(store))
    missed = 0
    for line in lines(tables, read(data)):
        mark = {None: " ", True: "✓", False: "✗"}[line.holds]
        print(f"{mark} {line.what:60}{line.value:>24}  {line.reach}", flush=True)
        missed += line.holds is False
    return missed


def main() -> int:
    """Report on the folders named on the command line; 1 when a number is out of reach."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="folder that holds reference/")
    parser.add_argument("--store", type=Path, required=True, help="store of a finished build of the real sources")
    arguments = parser.parse_args()
    if not is_there(arguments.data):
        print(f"skipped: {arguments.data} holds no reference/statements.jsonl and reference/train.jsonl")
        return 0
    return 1 if report(arguments.data, Store(arguments.store)) else 0


if __name__ == "__main__":
    sys.exit(main())
