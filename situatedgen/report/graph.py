"""The graph of statements and pairs: sizes of communities, what was cut, and that nothing leaks."""

from collections import Counter

import polars as pl

from situatedgen.report.statistics import CommunityLink, CommunitySize, Graph, Leakage
from situatedgen.rules.splits import leaks, most_common
from situatedgen.stages.splits import placements
from situatedgen.vocabulary import Split, Verdict

DECIMALS = 6
TOLD_LINKS = 300
"""So many links between communities are told; the weaker ones are countless."""


def graph(communities: pl.DataFrame, splits: pl.DataFrame) -> Graph:
    """The sizes of the graph and of its communities, and the pairs lost by dealing it."""
    verdicts = dict(splits["verdict"].value_counts().iter_rows())
    cut, moved = (verdicts.get(each.value, 0) for each in (Verdict.CROSSES_COMMUNITIES, Verdict.TEMPLATE_MOVED))
    return Graph(
        statements=len(communities),
        pairs=len(splits),
        communities=communities["community"].n_unique(),
        cut_pairs=cut,
        cut_share=_share(cut, len(splits)),
        moved_pairs=moved,
        moved_share=_share(moved, len(splits)),
        sizes=_sizes(communities, splits),
        links=_links(communities, splits),
    )


def leakage(splits: pl.DataFrame, masks: pl.DataFrame, statements: pl.DataFrame) -> Leakage:
    """How many ids, texts and templates stand in two splits."""
    found = leaks(placements(splits, masks, statements))
    ids, texts, templates = (len(offenders) for offenders in found.values())
    return Leakage(ids, texts, templates)


def _sizes(communities: pl.DataFrame, splits: pl.DataFrame) -> tuple[CommunitySize, ...]:
    members = Counter(communities["community"].to_list())
    pairs = Counter(splits["community"].drop_nulls().to_list())
    held: dict[int, list[Split]] = {}
    for label, split, count in splits.drop_nulls("split").group_by("community", "split").len().iter_rows():
        held.setdefault(label, []).extend([Split(split)] * count)
    return tuple(
        CommunitySize(label, members[label], pairs[label], most_common(held[label]) if label in held else None)
        for label in sorted(members)
    )


def _links(communities: pl.DataFrame, splits: pl.DataFrame) -> tuple[CommunityLink, ...]:
    """The communities between which most pairs were cut, the strongest link first."""
    cut = splits.filter(pl.col("verdict") == Verdict.CROSSES_COMMUNITIES).select("left_id", "right_id")
    for side in ("left", "right"):
        named = communities.select(pl.col("statement_id").alias(f"{side}_id"), pl.col("community").alias(side))
        cut = cut.join(named, on=f"{side}_id")
    ends = cut.select(one=pl.min_horizontal("left", "right"), two=pl.max_horizontal("left", "right"))
    counts = ends.group_by("one", "two").len().sort(-pl.col("len").cast(pl.Int64), "one", "two").head(TOLD_LINKS)
    return tuple(CommunityLink(*row) for row in counts.iter_rows())


def _share(part: int, whole: int) -> float:
    return round(part / whole, DECIMALS) if whole else 0.0
