"""Which statements are similar enough to look at, and what the rules say of each pair."""

import numpy as np
import polars as pl

from situatedgen.mining.candidates import (
    JUDGED_PAIR,
    PAIR_COLUMNS,
    Nearest,
    kinds_of_texts,
    nearest,
    overlap,
    remembered,
    similar_between,
    similar_within,
    unchanged,
)
from situatedgen.mining.pool import Pool, pool
from situatedgen.mining.search import Hits, Tile, in_range, search_tile, tiles
from situatedgen.mining.verdicts import Flags, verdicts
from situatedgen.params import CandidateParams
from situatedgen.schemas import CANDIDATES
from situatedgen.stages.previous_run import PreviousRun

HITS = pl.Schema({"left": pl.Int32(), "right": pl.Int32(), "similarity": pl.Float32()})


def candidates(
    statements: pl.DataFrame,
    entities: pl.DataFrame,
    masks: pl.DataFrame,
    embeddings: pl.DataFrame,
    *,
    params: CandidateParams,
    earlier: PreviousRun | None = None,
    hits: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """Judge every pair of statements whose masked texts are at least as similar as the floor.

    Two statements that neither both name a place nor both name a time are no candidate. With a number of neighbours,
    a pair is one where it is among so many nearest of one of its statements that break no rule; or among so many
    nearest of any kind.

    Without, a row depends on its two statements and the floor alone, so of an `earlier` run the rows among unchanged
    statements are taken over. All similar texts, or nearest statements, may have been searched for before, tile by
    tile (`hits`). The result is the same without either.
    """
    now = pool(statements, entities, masks, embeddings)
    if params.max_neighbours:
        return _named(now, _nearest(now, params, hits))
    if hits is not None:
        texts = Hits(*(hits[name].to_numpy() for name in HITS))
        return _named(now, _judged(now, similar_within(now.members, now.vectors, floor=params.floor, hits=texts)))
    kept, is_unchanged = _kept(now, params, earlier)
    found = _judged(now, _found(now, is_unchanged, params.floor))
    return _named(now, pl.concat([kept, found]))


def candidate_tiles(embeddings: pl.DataFrame) -> list[Tile]:
    """The tiles into which the search for similar texts can be cut."""
    return tiles(embeddings.height)


def tile_hits(
    statements: pl.DataFrame,
    entities: pl.DataFrame,
    masks: pl.DataFrame,
    embeddings: pl.DataFrame,
    *,
    params: CandidateParams,
    tile: Tile,
) -> pl.DataFrame:
    """The similar texts of one tile, by their numbers; or the nearest statements, where there may be so many."""
    now = pool(statements, entities, masks, embeddings)
    if params.max_neighbours:
        texts = now.members["text"].to_numpy()
        parts = in_range(texts, tile.row), in_range(texts, tile.column)
        return nearest(now, params.max_neighbours, floor=params.floor, parts=parts).select(list(HITS)).cast(HITS)
    kinds = kinds_of_texts(now.members, len(now.vectors))
    found = search_tile(now.vectors, kinds, tile, floor=params.floor)
    return pl.DataFrame(dict(zip(HITS, (found.left, found.right, found.similarity), strict=True)), schema=HITS)


def spared(before: pl.DataFrame, earlier: CandidateParams, masks: pl.DataFrame, params: CandidateParams) -> int:
    """How many statements an earlier run may spare a new one: none where it has not looked at all that is needed.

    `before` and `earlier` are the masks and the params of that run.
    """
    return overlap(before, masks) if _has_looked(earlier, params) else 0


def _kept(now: Pool, params: CandidateParams, earlier: PreviousRun | None) -> tuple[pl.DataFrame, Flags]:
    """The rows of an earlier run that still hold, and the statements that it has looked at."""
    if earlier is None or not _is_usable(earlier, params):
        return pl.DataFrame(schema=JUDGED_PAIR), np.zeros(len(now.rows), dtype=np.bool_)
    is_unchanged = unchanged(now, pool(*(earlier.inputs[name] for name in INPUTS)))
    kept = remembered(earlier.result, now, is_unchanged, floor=params.floor)
    earlier.reused_rows = len(kept)
    return kept, is_unchanged


INPUTS = ("statements", "entities", "masks", "embeddings")


def _is_usable(earlier: PreviousRun, params: CandidateParams) -> bool:
    return isinstance(earlier.params, CandidateParams) and _has_looked(earlier.params, params)


def _has_looked(earlier: CandidateParams, params: CandidateParams) -> bool:
    """Whether a run has all rows of another; which are the nearest, one more statement may change for many."""
    return not earlier.max_neighbours and not params.max_neighbours and earlier.floor <= params.floor


def _nearest(now: Pool, params: CandidateParams, hits: pl.DataFrame | None) -> pl.DataFrame:
    """The pairs of nearest statements, of those of all tiles where these were searched."""
    if hits is None:
        return nearest(now, params.max_neighbours, floor=params.floor)
    found = Nearest(now, params.max_neighbours, floor=params.floor)
    found.add(*(hits[name].cast(kind).to_numpy() for name, kind in PAIR_COLUMNS.items()))
    return found.prune()


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
