"""Statements are nodes, pairs are edges: which statements belong together."""

import polars as pl

from situatedgen.errors import ModelError
from situatedgen.models.roles import Detector
from situatedgen.params import CommunityParams
from situatedgen.rules.labelling import canonical_labels
from situatedgen.schemas import COMMUNITIES
from situatedgen.vocabulary import Verdict


def communities(pairs: pl.DataFrame, *, params: CommunityParams, detector: Detector) -> pl.DataFrame:
    """Group the statements of pairs so that few pairs cross groups; the largest group is number 0."""
    kept = pairs.filter(pl.col("verdict") == Verdict.KEPT)
    nodes = sorted({*kept["left_id"], *kept["right_id"]})
    numbers = {statement_id: number for number, statement_id in enumerate(nodes)}
    edges = sorted((numbers[left], numbers[right]) for left, right in kept.select("left_id", "right_id").iter_rows())
    labels = detector.detect(len(nodes), edges, seed=params.seed)
    if len(labels) != len(nodes):
        raise ModelError(f"the detector labelled {len(labels)} statements, expected {len(nodes)}")
    return COMMUNITIES.frame(list(zip(nodes, canonical_labels(labels), strict=True)))
