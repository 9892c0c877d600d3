"""All pairs of statements that share a kind and are similar, within a set of them or between two."""

import numpy as np
import polars as pl

from situatedgen.mining.expansion import expanded, expanded_between
from situatedgen.mining.kinds import Kinds, between_kinds, within_kinds
from situatedgen.mining.similarity import Vectors


def similar_within(members: pl.DataFrame, vectors: Vectors, *, floor: float) -> pl.DataFrame:
    """Every pair of members that share a kind and whose texts are as similar as the floor, left < right."""
    kinds = _kinds_of_texts(members, len(vectors))
    return expanded(within_kinds(vectors, kinds, floor=floor), members)


def similar_between(members: pl.DataFrame, others: pl.DataFrame, vectors: Vectors, *, floor: float) -> pl.DataFrame:
    """Every pair of a member and one of the others, likewise."""
    kinds, other_kinds = _kinds_of_texts(members, len(vectors)), _kinds_of_texts(others, len(vectors))
    return expanded_between(between_kinds(vectors, kinds, other_kinds, floor=floor), members, others)


def _kinds_of_texts(members: pl.DataFrame, count: int) -> Kinds:
    """The kinds of each text: those of all the members that have it."""
    kinds = np.zeros(count, dtype=np.uint8)
    np.bitwise_or.at(kinds, members["text"].to_numpy(), members["kinds"].to_numpy())
    return kinds
