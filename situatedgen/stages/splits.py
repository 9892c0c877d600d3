"""The stage `splits`: assigns the pairs to train, dev and test, and drops those that would leak between them."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from situatedgen.errors import LeakError
from situatedgen.params import SplitParams
from situatedgen.rules.assignment import (
    SPLIT_COUNT,
    TASTE,
    Amounts,
    Assignment,
    Links,
    Numbers,
    Weights,
    assign_communities,
    capacity,
    pack,
)
from situatedgen.rules.splits import (
    Earlier,
    PlacedStatement,
    Placement,
    cut_verdict,
    group_templates,
    leaks,
    recognise,
    settle_splits,
)
from situatedgen.schemas import SPLIT, SPLITS, VERDICT
from situatedgen.seeds import generator
from situatedgen.stages.selected import families_of
from situatedgen.vocabulary import Split, Verdict

NEAR = 0.8
"""Minimum cosine at which two masked texts count as near neighbours."""
ORDER = tuple(Split)
NUMBER = {split.value: number for number, split in enumerate(ORDER)}
APART = 1_000_003
"""Difference between the seeds of consecutive starts."""
VALUES = 64
"""How many values of a property are balanced: the most frequent ones, since a rare one fills little of any split."""


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """The communities to assign, by label, and the pairs between them.

    Each side of a pair has a number: the index of its community, or the number of communities plus that of a split that
    is already decided. `inside` are the kept pairs, `between` those that cross communities, `near` all pairs of near
    neighbours, selected or not.
    """

    labels: tuple[int, ...]
    anchors: Mapping[int, str]
    sizes: Mapping[int, int]
    placed: Mapping[Split, int]
    inside: pl.DataFrame
    between: pl.DataFrame
    near: pl.DataFrame


def make_problem(crossed: pl.DataFrame, pairs: pl.DataFrame, housed: pl.DataFrame) -> Problem:
    """The assignment problem of the communities that have pairs and no decided split."""
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
        _with_numbers(kept, numbers),
        _with_numbers(crossed.filter(pl.col("verdict") != Verdict.KEPT), numbers),
        _with_numbers(pairs.filter(pl.col("verdict") == Verdict.KEPT, pl.col("similarity") >= NEAR), numbers),
    )


def starts(table: Problem, params: SplitParams) -> list[Numbers]:
    """The random packings from which the search starts, as split numbers in the order of the labels."""
    shares = {"test_share": params.test_share, "dev_share": params.dev_share, "placed": table.placed}
    seeds = [params.seed + APART * number for number in range(max(params.starts, 1))]
    dealt = [pack(table.sizes, table.anchors, seed=seed, **shares) for seed in seeds]  # type: ignore[arg-type]
    return [np.array([NUMBER[found[label].value] for label in table.labels], np.int64) for found in dealt]


def make_assignment(table: Problem, described: pl.DataFrame, params: SplitParams) -> Assignment:
    """The problem as arrays, in the form that the objective takes, given the source and family of each statement."""
    count = len(table.labels)
    held, widths = _holdings(table.inside, described, count + SPLIT_COUNT)
    total = int(held[:, 0].sum())
    rooms = [capacity(params.dev_share, total), capacity(params.test_share, total)]
    shares = np.array([1 - params.test_share - params.dev_share, params.dev_share, params.test_share])
    slots = max(2 * total * float(shares[1:].sum()), 1)
    return Assignment(
        holdings=held[:count],
        placed=held[count:],
        widths=widths,
        rooms=np.array([total, *rooms], np.float64),
        targets=shares,
        near=_near_links(table, slots),
        crossing=_links(table.between.select("left", "right", weight=pl.lit(1 / max(total + table.between.height, 1)))),
        tastes=_tastes(table, params.seed, total),
        weights=Weights(
            size=params.size_weight,
            mixes=(params.source_weight, params.context_weight, params.probability_weight, params.family_weight),
            leakage=params.leakage_weight,
            cuts=params.cut_weight,
        ),
    )


def _with_numbers(pairs: pl.DataFrame, numbers: pl.DataFrame) -> pl.DataFrame:
    """The pairs with the numbers of their two statements, if both have one."""
    found = pairs.select("left_id", "right_id", "context", "^probability$")
    for side in ("left", "right"):
        found = found.join(numbers.rename({"statement_id": f"{side}_id", "number": side}), on=f"{side}_id")
    return found


def _holdings(inside: pl.DataFrame, described: pl.DataFrame, count: int) -> tuple[Amounts, tuple[int, ...]]:
    """The content of each community, and how many values each balanced property has.

    Columns: pairs, slots per source, pairs per context, pairs per range of probabilities, slots per family.
    """
    slots = pl.concat([inside.select(pl.col(f"{side}_id").alias("statement_id"), "left") for side in ("left", "right")])
    named = slots.join(described, on="statement_id")
    # Four parts of about equal size; equal probabilities share one, so the order of the rows does not matter.
    ranges = inside.with_columns(range=pl.col("probability").rank("min") * 4 // (pl.len() + 1))
    counts = [
        _count_values(named, "source", count),
        _count_values(inside, "context", count),
        _count_values(ranges.drop_nulls("range"), "range", count),
        _count_values(named.drop_nulls("family"), "family", count),
    ]
    pairs = np.bincount(inside["left"].to_numpy(), minlength=count)[:, None]
    return np.concatenate([pairs, *counts], axis=1).astype(np.float64), tuple(each.shape[1] for each in counts)


def _count_values(rows: pl.DataFrame, column: str, count: int) -> Amounts:
    """How often each of the most frequent values of a column occurs in each community: community × value."""
    values = rows[column].cast(pl.String)
    frequent = values.value_counts().sort("count", column, descending=[True, False]).head(VALUES)
    places = dict(zip(frequent[column], range(len(frequent)), strict=True))
    numbers = values.replace_strict(places, default=None, return_dtype=pl.Int64)
    chosen = rows.select("left", number=numbers).drop_nulls()
    found = np.zeros((count, len(frequent)))
    np.add.at(found, (chosen["left"].to_numpy(), chosen["number"].to_numpy()), 1)
    return found


def _near_links(table: Problem, slots: float) -> Links:
    """Links to the communities that hold near neighbours, weighted by the share of slots that have any there.

    A slot with near neighbours in several communities is divided equally among them, so it counts once in total.
    """
    ends = pl.concat([table.inside["left_id"], table.inside["right_id"]]).alias("left_id")
    filled = ends.value_counts(name="filled")
    other = {"left_id": "right_id", "right_id": "left_id", "left": "right", "right": "left"}
    sides = ("left_id", "left", "right")
    both = pl.concat([table.near.select(sides), table.near.rename(other).select(sides)]).unique()
    apart = both.join(filled, on="left_id").filter(pl.col("left") != pl.col("right"))
    return _links(apart.select("left", "right", weight=pl.col("filled") / slots / pl.len().over("left_id")))


def _links(rows: pl.DataFrame) -> Links:
    """Sum the weights of the rows with the same `left` and `right`, and return them as links."""
    apart = rows.filter(pl.col("left") != pl.col("right"))
    found = apart.group_by("left", "right").agg(pl.col("weight").sort().sum()).sort("left", "right")
    start, end = (found[name].to_numpy().astype(np.int64) for name in ("left", "right"))
    return Links(start, end, found["weight"].to_numpy().astype(np.float64))


def _tastes(table: Problem, seed: int, total: int) -> Amounts:
    """Small random costs of each split for each community.

    They depend only on the seed, the community's first statement and its size, and make different seeds give different
    splits.
    """
    drawn = [generator(seed, "taste", table.anchors[label]) for label in table.labels]
    shares = [table.sizes[label] / max(total, 1) for label in table.labels]
    rows = [[TASTE * share * chance.random() for _ in ORDER] for chance, share in zip(drawn, shares, strict=True)]
    return np.array(rows, np.float64).reshape(-1, SPLIT_COUNT)


def with_crossing(table: pl.DataFrame, dealt: Mapping[int, Split], params: SplitParams) -> pl.DataFrame:
    """Keep the pairs that cross from one community to another of the same split.

    Dev and test take the most similar ones, up to their shares. A kept crossing pair has no community.
    """
    left, right = (_split_of(side, dealt) for side in ("left", "right"))
    crossing = (pl.col("verdict") != Verdict.KEPT) & left.eq(right)
    found = table.with_columns(_there=pl.when(crossing).then(left)).with_columns(
        _rank=pl.struct(-pl.col("similarity"), "left_id", "right_id").rank("ordinal").over("_there")
    )
    taken = _count_crossing(table, found["_there"], params)
    allowed = pl.col("_there").cast(pl.String).replace_strict(taken, default=0, return_dtype=pl.Int64)
    stays = pl.col("_there").is_not_null() & (pl.col("_rank") <= allowed)
    kept = pl.lit(Verdict.KEPT.value).cast(VERDICT)
    return found.with_columns(
        split=pl.when(stays).then("_there").otherwise("split"), verdict=pl.when(stays).then(kept).otherwise("verdict")
    ).drop("_there", "_rank")


def _split_of(side: str, dealt: Mapping[int, Split]) -> pl.Expr:
    """The split of a pair's left or right statement: the decided one, or the one assigned to its home."""
    return pl.coalesce(f"{side}_split", pl.col(f"{side}_home").replace_strict(dealt, default=None, return_dtype=SPLIT))


def _count_crossing(table: pl.DataFrame, there: pl.Series, params: SplitParams) -> dict[str, int]:
    """How many crossing pairs each split takes: train all of them, dev and test as many as fit their shares."""
    held, offered = (
        {split.value: int((column == split.value).sum()) for split in Split} for column in (table["split"], there)
    )
    taken, shares = dict(offered), {Split.TEST.value: params.test_share, Split.DEV.value: params.dev_share}
    while True:
        total = sum(held.values()) + sum(taken.values())
        fits = {split: max(capacity(share, total) - held[split], 0) for split, share in shares.items()}
        less = {split: min(taken[split], fits[split]) for split in shares}
        if all(taken[split] == less[split] for split in shares):
            return taken
        taken |= less


log = logging.getLogger(__name__)
SHOWN_OFFENDERS = 3


def splits(
    pairs: pl.DataFrame,
    selected: pl.DataFrame,
    masks: pl.DataFrame,
    statements: pl.DataFrame,
    parses: pl.DataFrame,
    communities: pl.DataFrame,
    precedent: pl.DataFrame,
    *,
    params: SplitParams,
) -> pl.DataFrame:
    """Assign whole communities to train, dev and test so that no statement, text or template occurs in two splits.

    A statement of the precedent (an earlier dataset) keeps its split from there, unless it shares a text or template
    with statements of another split.

    Raises:
        LeakError: an id, text or template would occur in two splits.
    """
    housed = _place_statements(nodes(communities, masks, statements), earlier_splits(precedent, statements))
    crossed = _cut_pairs(selected.filter(pl.col("verdict") == Verdict.KEPT), housed)
    dealt = _assign_splits(make_problem(crossed, pairs, housed), describe_statements(statements, parses), params)
    table = _with_splits(crossed, dealt)
    if params.crossing == "keep":
        table = with_crossing(table, dealt, params)
    _check_leaks(placements(table, masks, statements))
    return table.select(list(SPLITS.columns)).sort(SPLITS.key)


def describe_statements(statements: pl.DataFrame, parses: pl.DataFrame) -> pl.DataFrame:
    """The source of each statement, and its family if it was parsed."""
    rows = list(families_of(parses).items())
    families = pl.DataFrame(rows, schema={"statement_id": pl.String, "family": pl.String}, orient="row")
    return statements.select("statement_id", "source").join(families, on="statement_id", how="left")


def nodes(communities: pl.DataFrame, masks: pl.DataFrame, statements: pl.DataFrame) -> list[PlacedStatement]:
    """Every statement that occurs in a pair, with its text, template and community."""
    full = communities.join(masks, on="statement_id").join(statements, on="statement_id").sort("statement_id")
    return [
        PlacedStatement(*row) for row in full.select("statement_id", "text", "masked_text", "community").iter_rows()
    ]


def earlier_splits(precedent: pl.DataFrame, statements: pl.DataFrame) -> dict[str, Split]:
    """The split in the precedent of each statement that occurs there."""
    if precedent.is_empty():
        return {}
    earlier = [
        Earlier(statement_id, text, Split(split))
        for statement_id, text, split in precedent.select("statement_id", "text", "split").iter_rows()
    ]
    return recognise(earlier, dict(statements.select("statement_id", "text").iter_rows()))


def _place_statements(placed: Sequence[PlacedStatement], precedent: dict[str, Split]) -> pl.DataFrame:
    """Each statement with its community, its home community, and its split if the precedent decides it."""
    home = group_templates(placed)
    found = settle_splits(placed, precedent, home)
    rows = [
        (node.statement_id, node.community, home[node.statement_id], found.get(node.statement_id)) for node in placed
    ]
    columns = {"statement_id": pl.String(), "community": pl.UInt32(), "home": pl.UInt32(), "split": SPLIT}
    return pl.DataFrame(rows, schema=columns, orient="row")


def _cut_pairs(kept: pl.DataFrame, housed: pl.DataFrame) -> pl.DataFrame:
    """Each pair with its verdict; a kept pair also with its community, and its split if that is decided."""
    for side in ("left", "right"):
        kept = kept.join(
            housed.select(pl.all().name.prefix(f"{side}_")).rename({f"{side}_statement_id": f"{side}_id"}),
            on=f"{side}_id",
        )
    crossed = kept.with_columns(verdict=cut_verdict().cast(VERDICT))
    stays = pl.when(pl.col("verdict") == Verdict.KEPT)
    return crossed.with_columns(community=stays.then("left_home"), split=stays.then("left_split"))


def _assign_splits(table: Problem, described: pl.DataFrame, params: SplitParams) -> dict[int, Split]:
    """The split of each community that has pairs and no decided split."""
    tried = starts(table, params)
    found = (
        assign_communities(make_assignment(table, described, params), tried)
        if params.starts and table.labels
        else tried[0]
    )
    splits = [ORDER[number] for number in found]
    _log_empty([*splits, *table.placed], len(splits))
    return dict(zip(table.labels, splits, strict=True))


def _with_splits(crossed: pl.DataFrame, dealt: Mapping[int, Split]) -> pl.DataFrame:
    """The pairs with the split of their community, unless it was decided before."""
    fresh = pl.col("community").replace_strict(dealt, default=None, return_dtype=SPLIT)
    return crossed.with_columns(split=pl.coalesce("split", fresh))


def _log_empty(found: Sequence[Split], communities: int) -> None:
    missing = [split.value for split in Split if split not in found]
    if communities and missing:
        log.warning("no community fits into %s (%d communities)", " or ".join(missing), communities)


def placements(splits: pl.DataFrame, masks: pl.DataFrame, statements: pl.DataFrame) -> list[Placement]:
    """Every statement that has a split, with its template, one row per statement and split, sorted."""
    sides = splits.drop_nulls("split").unpivot(["left_id", "right_id"], index="split", value_name="statement_id")
    placed = sides.select("statement_id", "split").unique().sort("statement_id", "split")
    texts = placed.join(statements, on="statement_id", maintain_order="left")
    full = texts.join(masks, on="statement_id", maintain_order="left")
    return [Placement(*row) for row in full.select("statement_id", "text", "masked_text", "split").iter_rows()]


def _check_leaks(placed: list[Placement]) -> None:
    """Raise if an id, text or template occurs in two splits."""
    named = [_describe_leak(what, offenders) for what, offenders in leaks(placed).items() if offenders]
    if named:
        raise LeakError(f"in two splits: {'; '.join(named)}")


def _describe_leak(what: str, offenders: tuple[str, ...]) -> str:
    shown = ", ".join(repr(offender) for offender in offenders[:SHOWN_OFFENDERS])
    more = f" and {len(offenders) - SHOWN_OFFENDERS} more" if len(offenders) > SHOWN_OFFENDERS else ""
    return f"{what} {shown}{more}"
