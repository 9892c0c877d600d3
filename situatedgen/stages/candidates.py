"""Which statements are similar enough to look at, and what the rules say of each pair."""

import numpy as np
import polars as pl

from situatedgen import progress
from situatedgen.mining.delta import Flags, overlap, remembered, unchanged
from situatedgen.mining.judging import verdicts
from situatedgen.mining.pairs import similar_between, similar_within
from situatedgen.mining.pool import Pool, pool
from situatedgen.params import CandidateParams
from situatedgen.schemas import CANDIDATES, VERDICT
from situatedgen.stages.earlier import Earlier

JUDGED = pl.Schema({"left": pl.UInt32(), "right": pl.UInt32(), "similarity": pl.Float32(), "verdict": VERDICT})


def candidates(
    statements: pl.DataFrame,
    entities: pl.DataFrame,
    masks: pl.DataFrame,
    embeddings: pl.DataFrame,
    *,
    params: CandidateParams,
    earlier: Earlier | None = None,
) -> pl.DataFrame:
    """Judge every pair of statements whose masked texts are at least as similar as the floor.

    Two statements that neither both name a place nor both name a time are no candidate. A row depends on
    its two statements and the floor alone, so of an `earlier` run the rows among unchanged statements are
    taken over; the result is the same without it.
    """
    now = pool(statements, entities, masks, embeddings)
    kept, is_unchanged = _kept(now, params, earlier)
    found = _judged(now, _found(now, is_unchanged, params.floor))
    return _named(now, pl.concat([kept, found]))


def spared(before: pl.DataFrame, earlier: CandidateParams, masks: pl.DataFrame, params: CandidateParams) -> int:
    """How many statements an earlier run may spare a new one: none where its floor was higher.

    `before` and `earlier` are the masks and the params of that run.
    """
    return overlap(before, masks) if earlier.floor <= params.floor else 0


def _kept(now: Pool, params: CandidateParams, earlier: Earlier | None) -> tuple[pl.DataFrame, Flags]:
    """The rows of an earlier run that still hold, and the statements that it has looked at."""
    if earlier is None or not _is_usable(earlier, params):
        return pl.DataFrame(schema=JUDGED), np.zeros(len(now.rows), dtype=np.bool_)
    is_unchanged = unchanged(now, pool(*(earlier.inputs[name] for name in INPUTS)))
    kept = remembered(earlier.result, now, is_unchanged, floor=params.floor)
    progress.recalled(len(kept))
    return kept, is_unchanged


INPUTS = ("statements", "entities", "masks", "embeddings")


def _is_usable(earlier: Earlier, params: CandidateParams) -> bool:
    """Whether an earlier run has looked at all that this one has to."""
    return isinstance(earlier.params, CandidateParams) and earlier.params.floor <= params.floor


def _found(now: Pool, is_unchanged: Flags, floor: float) -> pl.DataFrame:
    """The similar pairs with at least one statement that is not unchanged."""
    members = now.members
    new, old = members.filter(~is_unchanged), members.filter(is_unchanged)
    return pl.concat(
        [
            similar_within(new, now.vectors, floor=floor),
            similar_between(new, old, now.vectors, floor=floor),
        ]
    )


def _judged(now: Pool, pairs: pl.DataFrame) -> pl.DataFrame:
    """The pairs with their verdicts; only the statements that are in one are looked at."""
    left, right = pairs["left"].to_numpy(), pairs["right"].to_numpy()
    is_used = np.zeros(len(now.rows), dtype=np.bool_)
    is_used[left] = is_used[right] = True
    numbers = np.flatnonzero(is_used).astype(np.uint32)
    places = (np.cumsum(is_used) - 1).astype(np.uint32)
    return pairs.with_columns(verdicts(now.sides(numbers), places[left], places[right]).alias("verdict"))


def _named(now: Pool, judged: pl.DataFrame) -> pl.DataFrame:
    """The rows with ids for numbers, sorted; numbers are in the order of the ids."""
    order = pl.col("left").cast(pl.UInt64) * len(now.rows) + pl.col("right")
    ids, rows = now.rows["statement_id"], judged.sort(order)
    columns = (ids.gather(rows["left"]), ids.gather(rows["right"]), rows["similarity"], rows["verdict"])
    return pl.DataFrame(dict(zip(CANDIDATES.columns, columns, strict=True)), schema=dict(CANDIDATES.columns))
