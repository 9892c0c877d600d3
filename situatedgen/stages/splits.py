"""Which pairs go to which split, and which are lost to keep the splits apart."""

import logging

import polars as pl

from situatedgen.errors import LeakError
from situatedgen.params import SplitParams
from situatedgen.rules.homes import Placed, homes
from situatedgen.rules.leaks import Placement, leaks
from situatedgen.rules.packing import dealt
from situatedgen.schemas import SPLITS, VERDICT
from situatedgen.seeds import generator
from situatedgen.vocabulary import Split, Verdict

log = logging.getLogger(__name__)
SHOWN_OFFENDERS = 3


def splits(
    pairs: pl.DataFrame,
    masks: pl.DataFrame,
    statements: pl.DataFrame,
    communities: pl.DataFrame,
    *,
    params: SplitParams,
) -> pl.DataFrame:
    """Deal whole communities to train, dev and test; no statement, text or template stands in two of them.

    Raises:
        LeakError: something would stand in two splits.
    """
    nodes = communities.join(masks, on="statement_id").join(statements, on="statement_id")
    nodes = nodes.select("statement_id", "text", pl.col("masked_text").alias("template"), "community")
    housed = nodes.with_columns(home=_homes(nodes))
    judged = _judged(pairs.filter(pl.col("verdict") == Verdict.KEPT), housed)
    split = _dealt(judged, housed, params)
    table = judged.with_columns(
        split=pl.col("community").replace_strict(split, default=None, return_dtype=SPLITS.columns["split"])
    )
    _check_leaks(placements(table, masks, statements))
    return table.select(list(SPLITS.columns)).sort(SPLITS.key)


def _homes(nodes: pl.DataFrame) -> pl.Series:
    """The home community of each node, in their order."""
    home = homes([Placed(*row) for row in nodes.iter_rows()])
    return pl.Series([home[statement_id] for statement_id in nodes["statement_id"]], dtype=pl.UInt32)


def _judged(kept: pl.DataFrame, housed: pl.DataFrame) -> pl.DataFrame:
    """Each pair with its verdict, and its community when both its statements are at home there."""
    for side in ("left", "right"):
        places = housed.select(
            pl.col("statement_id").alias(f"{side}_id"),
            pl.col("community").alias(f"{side}_community"),
            pl.col("home").alias(f"{side}_home"),
        )
        kept = kept.join(places, on=f"{side}_id")
    together = pl.col("left_home") == pl.col("right_home")
    parted = pl.col("left_community") == pl.col("right_community")
    verdict = (
        pl.when(together)
        .then(pl.lit(Verdict.KEPT.value))
        .when(parted)
        .then(pl.lit(Verdict.TEMPLATE_MOVED.value))
        .otherwise(pl.lit(Verdict.CROSSES_COMMUNITIES.value))
    )
    return kept.with_columns(community=pl.when(together).then(pl.col("left_home")), verdict=verdict.cast(VERDICT))


def _dealt(judged: pl.DataFrame, housed: pl.DataFrame, params: SplitParams) -> dict[int, str]:
    """The split of each community that has pairs.

    A community's place in the order comes from the seed and its first statement alone, so that a change
    elsewhere does not shuffle it.
    """
    sizes = dict(judged.drop_nulls("community").group_by("community").len().iter_rows())
    anchors = dict(housed.group_by("home").agg(pl.col("statement_id").min()).iter_rows())
    order = sorted(sizes, key=lambda label: (generator(params.seed, "splits", anchors[label]).random(), label))
    found = dealt([sizes[label] for label in order], test_share=params.test_share, dev_share=params.dev_share)
    _log_empty(found)
    return {label: split.value for label, split in zip(order, found, strict=True)}


def _log_empty(found: list[Split]) -> None:
    missing = [split.value for split in Split if split not in found]
    if found and missing:
        log.warning("no community fits %s: %d communities", " or ".join(missing), len(found))


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
