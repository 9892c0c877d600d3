"""How the splits of a dataset follow those of an earlier one, and what had to move."""

from collections import Counter
from collections.abc import Mapping

import polars as pl

from situatedgen.report.statistics import MoveCount, Stability
from situatedgen.rules.splits import SplitChange, split_changes
from situatedgen.schemas import PRECEDENT
from situatedgen.stages.splits import earlier_splits, nodes, placements
from situatedgen.vocabulary import Split, Verdict


def stability(tables: Mapping[str, pl.DataFrame]) -> Stability | None:
    """What became of the statements of the earlier dataset; nothing where none was followed."""
    earlier = tables.get("precedent", PRECEDENT.empty)
    if earlier.is_empty():
        return None
    precedent = earlier_splits(earlier, tables["statements"])
    found = _splits(tables)
    moved = split_changes(nodes(tables["communities"], tables["masks"], tables["statements"]), precedent, found)
    there = len(found.keys() & precedent.keys())
    return Stability(
        statements=earlier.height,
        kept=there - len(moved),
        gone=earlier.height - there,
        new=len(found) - there,
        cut_pairs=tables["splits"].filter(pl.col("verdict") == Verdict.CROSSES_SPLITS).height,
        counts=_counts(moved),
        moved=moved,
    )


def _splits(tables: Mapping[str, pl.DataFrame]) -> dict[str, Split]:
    """The split of each statement of the dataset."""
    placed = placements(tables["splits"], tables["masks"], tables["statements"])
    return {place.statement_id: Split(place.split) for place in placed}


def _counts(moved: tuple[SplitChange, ...]) -> tuple[MoveCount, ...]:
    counts = Counter((move.old_split, move.new_split) for move in moved)
    return tuple(MoveCount(old, new, counts[old, new]) for old in Split for new in Split if counts[old, new])
