"""The assignment problem of the splits: what each community holds, and how communities are linked, as numbers."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from situatedgen.params import SplitParams
from situatedgen.rules.assignment import SPLITS, TASTE, Amounts, Assignment, Links, Numbers, Weights, capacity, pack
from situatedgen.seeds import generator
from situatedgen.vocabulary import Split, Verdict

NEAR = 0.8
"""From this cosine on, two masked texts are near neighbours."""
ORDER = tuple(Split)
NUMBER = {split.value: number for number, split in enumerate(ORDER)}
APART = 1_000_003
"""How far the seeds of the starts are from one another."""


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Communities to deal, by label; for each pair the numbers of its two statements: a community, or a decided split.

    `inside` are the pairs that are kept, `between` those that cross, `near` all pairs of near neighbours, selected or
    not.
    """

    labels: tuple[int, ...]
    anchors: Mapping[int, str]
    sizes: Mapping[int, int]
    placed: Mapping[Split, int]
    inside: pl.DataFrame
    between: pl.DataFrame
    near: pl.DataFrame


def make_problem(crossed: pl.DataFrame, pairs: pl.DataFrame, housed: pl.DataFrame) -> Problem:
    """The communities that have pairs and nothing that is decided."""
    kept = crossed.filter(pl.col("verdict") == Verdict.KEPT)
    fresh = kept.filter(pl.col("split").is_null())
    sizes = dict(fresh.group_by("community").len().sort("community").iter_rows())
    anchors = dict(housed.group_by("home").agg(pl.col("statement_id").min()).iter_rows())
    places = {label: place for place, label in enumerate(sizes)}
    decided = {name: len(sizes) + number for name, number in NUMBER.items()}
    numbers = housed.select(
        "statement_id",
        number=pl.coalesce(
            pl.col("split").cast(pl.String).replace_strict(decided, default=None, return_dtype=pl.Int64),
            pl.col("home").replace_strict(places, default=None, return_dtype=pl.Int64),
        ),
    ).drop_nulls()
    placed = kept.drop_nulls("split").group_by("split").len()
    return Problem(
        tuple(sizes),
        anchors,
        sizes,
        {Split(split): count for split, count in placed.iter_rows()},
        _numbered(kept, numbers),
        _numbered(crossed.filter(pl.col("verdict") != Verdict.KEPT), numbers),
        _numbered(pairs.filter(pl.col("verdict") == Verdict.KEPT, pl.col("similarity") >= NEAR), numbers),
    )


def starts(table: Problem, params: SplitParams) -> list[Numbers]:
    """So many random packings of the communities, as split numbers in the order of their labels."""
    shares = {"test_share": params.test_share, "dev_share": params.dev_share, "placed": table.placed}
    seeds = [params.seed + APART * number for number in range(max(params.starts, 1))]
    dealt = [pack(table.sizes, table.anchors, seed=seed, **shares) for seed in seeds]  # type: ignore[arg-type]
    return [np.array([NUMBER[found[label].value] for label in table.labels], np.int64) for found in dealt]


def make_assignment(table: Problem, sources: pl.DataFrame, params: SplitParams) -> Assignment:
    """The communities as the objective sees them."""
    count = len(table.labels)
    held, width = _holdings(table.inside, sources, count + SPLITS)
    total = int(held[:, 0].sum())
    rooms = [capacity(params.dev_share, total), capacity(params.test_share, total)]
    shares = np.array([1 - params.test_share - params.dev_share, params.dev_share, params.test_share])
    slots = max(2 * total * float(shares[1:].sum()), 1)
    return Assignment(
        holdings=held[:count],
        placed=held[count:],
        sources=width,
        rooms=np.array([total, *rooms], np.float64),
        targets=shares,
        near=_near(table, slots),
        crossing=_links(table.between.select("left", "right", weight=pl.lit(1 / max(total + table.between.height, 1)))),
        tastes=_tastes(table, params.seed, total),
        weights=Weights(
            params.size_weight, params.source_weight, params.context_weight, params.leakage_weight, params.cut_weight
        ),
    )


def _numbered(pairs: pl.DataFrame, numbers: pl.DataFrame) -> pl.DataFrame:
    """Pairs with the numbers of their two statements, where both have one."""
    found = pairs.select("left_id", "right_id", "context")
    for side in ("left", "right"):
        found = found.join(numbers.rename({"statement_id": f"{side}_id", "number": side}), on=f"{side}_id")
    return found


def _holdings(inside: pl.DataFrame, sources: pl.DataFrame, count: int) -> tuple[Amounts, int]:
    """What each community holds: pairs, slots by source, pairs by context; and how many sources there are."""
    slots = pl.concat([inside.select(pl.col(f"{side}_id").alias("statement_id"), "left") for side in ("left", "right")])
    named = slots.join(sources.select("statement_id", "source"), on="statement_id")
    by_source = _counted(named, "source", count)
    by_context = _counted(inside.with_columns(pl.col("context").cast(pl.String)), "context", count)
    pairs = np.bincount(inside["left"].to_numpy(), minlength=count)[:, None]
    return np.concatenate([pairs, by_source, by_context], axis=1).astype(np.float64), by_source.shape[1]


def _counted(rows: pl.DataFrame, column: str, count: int) -> Amounts:
    """How many rows of each community are of each kind."""
    kinds = rows[column].unique().sort()
    found = np.zeros((count, len(kinds)))
    places = rows[column].cast(pl.Enum(kinds)).to_physical().to_numpy()
    np.add.at(found, (rows["left"].to_numpy(), places), 1)
    return found


def _near(table: Problem, slots: float) -> Links:
    """From each community to each other that holds near neighbours: the slots that have any there.

    A slot with near neighbours in several communities counts for each in part, and once in all.
    """
    ends = pl.concat([table.inside["left_id"], table.inside["right_id"]]).alias("left_id")
    filled = ends.value_counts(name="filled")
    other = {"left_id": "right_id", "right_id": "left_id", "left": "right", "right": "left"}
    sides = ("left_id", "left", "right")
    both = pl.concat([table.near.select(sides), table.near.rename(other).select(sides)]).unique()
    apart = both.join(filled, on="left_id").filter(pl.col("left") != pl.col("right"))
    return _links(apart.select("left", "right", weight=pl.col("filled") / slots / pl.len().over("left_id")))


def _links(rows: pl.DataFrame) -> Links:
    """The links of rows with `left`, `right` and `weight`, put together."""
    apart = rows.filter(pl.col("left") != pl.col("right"))
    found = apart.group_by("left", "right").agg(pl.col("weight").sort().sum()).sort("left", "right")
    start, end = (found[name].to_numpy().astype(np.int64) for name in ("left", "right"))
    return Links(start, end, found["weight"].to_numpy().astype(np.float64))


def _tastes(table: Problem, seed: int, total: int) -> Amounts:
    """What the seed would rather not, for each community and split: by its first statement and its size alone."""
    drawn = [generator(seed, "taste", table.anchors[label]) for label in table.labels]
    shares = [table.sizes[label] / max(total, 1) for label in table.labels]
    rows = [[TASTE * share * chance.random() for _ in ORDER] for chance, share in zip(drawn, shares, strict=True)]
    return np.array(rows, np.float64).reshape(-1, SPLITS)
