"""The splits: which pairs go to which, and which are lost to keep the splits apart."""

import logging
from collections.abc import Mapping, Sequence

import polars as pl

from situatedgen.errors import LeakError
from situatedgen.params import SplitParams
from situatedgen.rules.assignment import assign_communities, capacity
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
from situatedgen.stages.assignment_problem import ORDER, Problem, make_assignment, make_problem, starts
from situatedgen.vocabulary import Split, Verdict


def with_crossing(table: pl.DataFrame, dealt: Mapping[int, Split], params: SplitParams) -> pl.DataFrame:
    """The pairs, in which those that cross from one community to another of the same split are kept.

    Dev and test take the most alike, and no more than their shares have room for. A kept pair that crosses is of no
    community.
    """
    left, right = (_split(side, dealt) for side in ("left", "right"))
    crossing = (pl.col("verdict") != Verdict.KEPT) & left.eq(right)
    found = table.with_columns(_there=pl.when(crossing).then(left)).with_columns(
        _rank=pl.struct(-pl.col("similarity"), "left_id", "right_id").rank("ordinal").over("_there")
    )
    taken = _taken(table, found["_there"], params)
    allowed = pl.col("_there").cast(pl.String).replace_strict(taken, default=0, return_dtype=pl.Int64)
    stays = pl.col("_there").is_not_null() & (pl.col("_rank") <= allowed)
    kept = pl.lit(Verdict.KEPT.value).cast(VERDICT)
    return found.with_columns(
        split=pl.when(stays).then("_there").otherwise("split"), verdict=pl.when(stays).then(kept).otherwise("verdict")
    ).drop("_there", "_rank")


def _split(side: str, dealt: Mapping[int, Split]) -> pl.Expr:
    """The split of a pair's statement: as it was decided, or as its home was dealt."""
    return pl.coalesce(f"{side}_split", pl.col(f"{side}_home").replace_strict(dealt, default=None, return_dtype=SPLIT))


def _taken(table: pl.DataFrame, there: pl.Series, params: SplitParams) -> dict[str, int]:
    """How many pairs that cross each split takes: train all of them, dev and test what fits."""
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
    communities: pl.DataFrame,
    precedent: pl.DataFrame,
    *,
    params: SplitParams,
) -> pl.DataFrame:
    """Deal whole communities to train, dev and test; no statement, text or template stands in two of them.

    A statement that stands in the precedent keeps its split from there, wherever that holds.

    Raises:
        LeakError: something would stand in two splits.
    """
    housed = _housed(nodes(communities, masks, statements), earlier_splits(precedent, statements))
    crossed = _crossed(selected.filter(pl.col("verdict") == Verdict.KEPT), housed)
    dealt = _dealt(make_problem(crossed, pairs, housed), statements, params)
    table = _dealt_out(crossed, dealt)
    if params.crossing == "keep":
        table = with_crossing(table, dealt, params)
    _check_leaks(placements(table, masks, statements))
    return table.select(list(SPLITS.columns)).sort(SPLITS.key)


def nodes(communities: pl.DataFrame, masks: pl.DataFrame, statements: pl.DataFrame) -> list[PlacedStatement]:
    """Every statement that has pairs, with its text, template and community."""
    full = communities.join(masks, on="statement_id").join(statements, on="statement_id").sort("statement_id")
    return [
        PlacedStatement(*row) for row in full.select("statement_id", "text", "masked_text", "community").iter_rows()
    ]


def earlier_splits(precedent: pl.DataFrame, statements: pl.DataFrame) -> dict[str, Split]:
    """The split that each statement had in the precedent, of those that stand there."""
    if precedent.is_empty():
        return {}
    earlier = [
        Earlier(statement_id, text, Split(split))
        for statement_id, text, split in precedent.select("statement_id", "text", "split").iter_rows()
    ]
    return recognise(earlier, dict(statements.select("statement_id", "text").iter_rows()))


def _housed(placed: Sequence[PlacedStatement], precedent: dict[str, Split]) -> pl.DataFrame:
    """Each statement with its community, its home, and its split where the precedent decides."""
    home = group_templates(placed)
    found = settle_splits(placed, precedent, home)
    rows = [
        (node.statement_id, node.community, home[node.statement_id], found.get(node.statement_id)) for node in placed
    ]
    columns = {"statement_id": pl.String(), "community": pl.UInt32(), "home": pl.UInt32(), "split": SPLIT}
    return pl.DataFrame(rows, schema=columns, orient="row")


def _crossed(kept: pl.DataFrame, housed: pl.DataFrame) -> pl.DataFrame:
    """Each pair with its verdict; a kept one with its community, and with its split where that is decided."""
    for side in ("left", "right"):
        kept = kept.join(
            housed.select(pl.all().name.prefix(f"{side}_")).rename({f"{side}_statement_id": f"{side}_id"}),
            on=f"{side}_id",
        )
    crossed = kept.with_columns(verdict=cut_verdict().cast(VERDICT))
    stays = pl.when(pl.col("verdict") == Verdict.KEPT)
    return crossed.with_columns(community=stays.then("left_home"), split=stays.then("left_split"))


def _dealt(table: Problem, sources: pl.DataFrame, params: SplitParams) -> dict[int, Split]:
    """The split of each community that has pairs and nothing that is decided."""
    tried = starts(table, params)
    found = (
        assign_communities(make_assignment(table, sources, params), tried)
        if params.starts and table.labels
        else tried[0]
    )
    splits = [ORDER[number] for number in found]
    _log_empty([*splits, *table.placed], len(splits))
    return dict(zip(table.labels, splits, strict=True))


def _dealt_out(crossed: pl.DataFrame, dealt: Mapping[int, Split]) -> pl.DataFrame:
    """The pairs with the split of their community, where it was not decided before."""
    fresh = pl.col("community").replace_strict(dealt, default=None, return_dtype=SPLIT)
    return crossed.with_columns(split=pl.coalesce("split", fresh))


def _log_empty(found: Sequence[Split], communities: int) -> None:
    missing = [split.value for split in Split if split not in found]
    if communities and missing:
        log.warning("no community fits %s: %d communities", " or ".join(missing), communities)


def placements(splits: pl.DataFrame, masks: pl.DataFrame, statements: pl.DataFrame) -> list[Placement]:
    """Every statement that has a split, with its template, once a split, sorted."""
    sides = splits.drop_nulls("split").unpivot(["left_id", "right_id"], index="split", value_name="statement_id")
    placed = sides.select("statement_id", "split").unique().sort("statement_id", "split")
    texts = placed.join(statements, on="statement_id", maintain_order="left")
    full = texts.join(masks, on="statement_id", maintain_order="left")
    return [Placement(*row) for row in full.select("statement_id", "text", "masked_text", "split").iter_rows()]


def _check_leaks(placed: list[Placement]) -> None:
    """Raise when an id, text or template stands in two splits."""
    named = [_named(what, offenders) for what, offenders in leaks(placed).items() if offenders]
    if named:
        raise LeakError(f"in two splits: {'; '.join(named)}")


def _named(what: str, offenders: tuple[str, ...]) -> str:
    shown = ", ".join(repr(offender) for offender in offenders[:SHOWN_OFFENDERS])
    more = f" and {len(offenders) - SHOWN_OFFENDERS} more" if len(offenders) > SHOWN_OFFENDERS else ""
    return f"{what} {shown}{more}"
