"""The stage `candidates`: pairs of statements with similar masked texts, each with a verdict from the pair rules."""

import numpy as np
import polars as pl

from situatedgen.mining.candidates import (
    JUDGED_PAIR,
    PAIR_COLUMNS,
    Nearest,
    find_unchanged,
    kinds_of_texts,
    nearest,
    overlap,
    reuse_rows,
    similar_between,
    similar_within,
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
    """Find all pairs of statements with similar masked texts, and apply the pair rules to each.

    A pair is a candidate only if both statements name a place or both name a time. With `max_neighbours` = k, a pair
    that breaks no rule is a candidate if it is among the k nearest such pairs of either statement; any other pair, if
    it is among the k nearest pairs of any verdict.

    Without `max_neighbours`, a row depends only on its two statements and the floor, so the rows between unchanged
    statements are copied from the `earlier` run. `hits` are the results of an earlier search tile by tile: similar
    texts, or nearest statements. Both only save time; the result is the same without them.
    """
    now = pool(statements, entities, masks, embeddings)
    if params.max_neighbours:
        return _with_ids(now, _nearest_pairs(now, params, hits))
    if hits is not None:
        texts = Hits(*(hits[name].to_numpy() for name in HITS))
        return _with_ids(
            now, _with_verdicts(now, similar_within(now.members, now.vectors, floor=params.floor, hits=texts))
        )
    kept, is_unchanged = _reuse_rows(now, params, earlier)
    found = _with_verdicts(now, _search_changed(now, is_unchanged, params.floor))
    return _with_ids(now, pl.concat([kept, found]))


def candidate_tiles(embeddings: pl.DataFrame) -> list[Tile]:
    """The tiles into which the search for similar texts can be split."""
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
    """The similar pairs of texts in one tile, by row number; with `max_neighbours`, the nearest statements instead."""
    now = pool(statements, entities, masks, embeddings)
    if params.max_neighbours:
        texts = now.members["text"].to_numpy()
        parts = in_range(texts, tile.row), in_range(texts, tile.column)
        return nearest(now, params.max_neighbours, floor=params.floor, parts=parts).select(list(HITS)).cast(HITS)
    kinds = kinds_of_texts(now.members, len(now.vectors))
    found = search_tile(now.vectors, kinds, tile, floor=params.floor)
    return pl.DataFrame(dict(zip(HITS, (found.left, found.right, found.similarity), strict=True)), schema=HITS)


def count_reusable(before: pl.DataFrame, earlier: CandidateParams, masks: pl.DataFrame, params: CandidateParams) -> int:
    """Number of statements for which an earlier run's rows can be reused; 0 if that run does not cover this one.

    `before` and `earlier` are the masks and the params of that run.
    """
    return overlap(before, masks) if _covers(earlier, params) else 0


def _reuse_rows(now: Pool, params: CandidateParams, earlier: PreviousRun | None) -> tuple[pl.DataFrame, Flags]:
    """The rows of the earlier run that are still valid, and a flag for each statement that is unchanged since then."""
    if earlier is None or not _is_usable(earlier, params):
        return pl.DataFrame(schema=JUDGED_PAIR), np.zeros(len(now.rows), dtype=np.bool_)
    is_unchanged = find_unchanged(now, pool(*(earlier.inputs[name] for name in INPUTS)))
    kept = reuse_rows(earlier.result, now, is_unchanged, floor=params.floor)
    earlier.reused_rows = len(kept)
    return kept, is_unchanged


INPUTS = ("statements", "entities", "masks", "embeddings")


def _is_usable(earlier: PreviousRun, params: CandidateParams) -> bool:
    return isinstance(earlier.params, CandidateParams) and _covers(earlier.params, params)


def _covers(earlier: CandidateParams, params: CandidateParams) -> bool:
    """Whether an earlier run contains every row that this one needs.

    Never true with `max_neighbours`, because one new statement can change the nearest neighbours of many others.
    """
    return not earlier.max_neighbours and not params.max_neighbours and earlier.floor <= params.floor


def _nearest_pairs(now: Pool, params: CandidateParams, hits: pl.DataFrame | None) -> pl.DataFrame:
    """The nearest pairs, selected from the hits of all tiles if these are given."""
    if hits is None:
        return nearest(now, params.max_neighbours, floor=params.floor)
    found = Nearest(now, params.max_neighbours, floor=params.floor)
    found.add(*(hits[name].cast(kind).to_numpy() for name, kind in PAIR_COLUMNS.items()))
    return found.prune()


def _search_changed(now: Pool, is_unchanged: Flags, floor: float) -> pl.DataFrame:
    """The similar pairs in which at least one statement is new or changed."""
    members = now.members
    new, old = members.filter(~is_unchanged), members.filter(is_unchanged)
    return pl.concat(
        [
            similar_within(new, now.vectors, floor=floor),
            similar_between(new, old, now.vectors, floor=floor),
        ]
    )


def _with_verdicts(now: Pool, pairs: pl.DataFrame) -> pl.DataFrame:
    """Add the verdicts to the pairs; only statements that occur in a pair are prepared for the rules."""
    left, right = pairs["left"].to_numpy(), pairs["right"].to_numpy()
    is_used = np.zeros(len(now.rows), dtype=np.bool_)
    is_used[left] = is_used[right] = True
    numbers = np.flatnonzero(is_used).astype(np.uint32)
    places = (np.cumsum(is_used) - 1).astype(np.uint32)
    return pairs.with_columns(verdicts(now.sides(numbers), places[left], places[right]).alias("verdict"))


def _with_ids(now: Pool, judged: pl.DataFrame) -> pl.DataFrame:
    """Replace row numbers by statement ids and sort; row numbers are in the order of the ids."""
    order = pl.col("left").cast(pl.UInt64) * len(now.rows) + pl.col("right")
    ids, rows = now.rows["statement_id"], judged.sort(order)
    columns = (ids.gather(rows["left"]), ids.gather(rows["right"]), rows["similarity"], rows["verdict"])
    return pl.DataFrame(dict(zip(CANDIDATES.columns, columns, strict=True)), schema=dict(CANDIDATES.columns))
