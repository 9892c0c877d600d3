"""The stage `communities`: groups of statements in the graph whose edges are the selected pairs."""

import polars as pl

from situatedgen.errors import ModelError
from situatedgen.models.roles import Detector
from situatedgen.params import CommunityParams
from situatedgen.rules.splits import canonical_labels
from situatedgen.schemas import COMMUNITIES
from situatedgen.vocabulary import Verdict


def communities(selected: pl.DataFrame, *, params: CommunityParams, detector: Detector) -> pl.DataFrame:
    """Group the statements into communities so that few pairs cross them; the largest is number 0."""
    nodes, edges = graph(selected)
    labels = detector.detect(len(nodes), edges, seed=params.seed)
    if len(labels) != len(nodes):
        raise ModelError(f"the detector labelled {len(labels)} statements, expected {len(nodes)}")
    columns = (nodes, canonical_labels(labels))
    return pl.DataFrame(dict(zip(COMMUNITIES.columns, columns, strict=True)), schema=dict(COMMUNITIES.columns))


def graph(pairs: pl.DataFrame) -> tuple[pl.Series, list[tuple[int, int]]]:
    """The sorted statement ids of the kept pairs, and the pairs as sorted edges between positions in that list."""
    kept = pairs.filter(pl.col("verdict") == Verdict.KEPT).select("left_id", "right_id")
    nodes = pl.concat([kept["left_id"].unique(), kept["right_id"].unique()]).unique().sort()
    numbers = kept.select(pl.all().cast(pl.Enum(nodes)).to_physical())
    return nodes, numbers.sort("left_id", "right_id").rows()
