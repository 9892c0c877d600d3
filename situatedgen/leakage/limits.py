"""Enforces the limits on leakage, with messages that say what to change."""

from collections.abc import Iterator

import polars as pl

from situatedgen.errors import LeakError
from situatedgen.leakage.certificate import CLOSE, Hubs
from situatedgen.params import LeakageParams

SHOWN = 3
REASSIGN = "raise `splits.leakage_weight` or change `splits.seed` to assign the splits differently"


def check(found: pl.DataFrame, shared: tuple[str, ...], hubs: Hubs, params: LeakageParams) -> None:
    """Reject a dataset that exceeds a limit on nearest neighbours, shared templates or hubs.

    Raises:
        LeakError: a limit is exceeded; the message names the worst offenders and what to change.
    """
    problems = [*_check_neighbours(found, params), *_check_templates(shared, params), *_check_hubs(hubs, params)]
    if problems:
        raise LeakError("; ".join(problems))


def _check_neighbours(found: pl.DataFrame, params: LeakageParams) -> Iterator[str]:
    if found.is_empty():
        return
    nearest = pl.max_horizontal("left_cosine", "right_cosine")
    worst = found.filter(nearest > params.max_neighbour).sort(-nearest, "example_id")
    if worst.height:
        yield (
            f"{worst.height:,} dev and test examples are closer to train than leakage.max_neighbour,"
            f" {params.max_neighbour:g}: {', '.join(map(_describe, worst.head(SHOWN).iter_rows(named=True)))};"
            f" {REASSIGN}, or raise the limit"
        )
    mean = (pl.col("left_cosine") + pl.col("right_cosine")) / 2
    close = found.filter(mean >= CLOSE).sort(-mean, "example_id")
    if close.height > params.max_close_share * found.height:
        yield (
            f"{100 * close.height / found.height:.1f} % of the dev and test examples are close to train (mean cosine"
            f" of at least {CLOSE:g}), more than leakage.max_close_share, {100 * params.max_close_share:g} %:"
            f" {', '.join(map(_describe, close.head(SHOWN).iter_rows(named=True)))}; {REASSIGN}, or raise the limit"
        )


def _describe(row: dict[str, object]) -> str:
    """Format an example with the nearer of its two neighbours."""
    left, right = ((float(str(row[f"{side}_cosine"])), row[f"{side}_neighbour"]) for side in ("left", "right"))
    cosine, neighbour = max(left, right, key=lambda side: side[0])
    return f"{row['example_id']} in {row['split']} ({cosine:.3f} to {neighbour})"


def _check_templates(shared: tuple[str, ...], params: LeakageParams) -> Iterator[str]:
    if len(shared) > params.max_shared_templates:
        shown = ", ".join(map(repr, shared[:SHOWN]))
        yield (
            f"{len(shared):,} masked templates occur in two splits, more than leakage.max_shared_templates,"
            f" {params.max_shared_templates}: {shown};"
            " the stage `splits` allows none, so check the stages after it"
        )


def _check_hubs(hubs: Hubs, params: LeakageParams) -> Iterator[str]:
    if hubs.top_share > params.max_hub_share:
        yield (
            f"the top tenth of the statements fills {100 * hubs.top_share:.1f} % of the slots, more than"
            f" leakage.max_hub_share, {100 * params.max_hub_share:g} %; limit the pairs per statement"
            " (`selected.max_pairs_per_statement`), or raise the limit"
        )
