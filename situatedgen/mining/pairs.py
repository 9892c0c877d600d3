"""All pairs of statements that share a kind and are similar, within a set of them or between two."""

import numpy as np
import polars as pl

from situatedgen.mining.expansion import expanded, expanded_between
from situatedgen.mining.kinds import Kinds, between_kinds, within_kinds
from situatedgen.mining.search import Hits
from situatedgen.mining.similarity import Vectors


def similar_within(members: pl.DataFrame, vectors: Vectors, *, floor: float, hits: Hits | None = None) -> pl.DataFrame:
    """Every pair of members that share a kind and whose texts are as similar as the floor, left < right.

    The `hits` among their texts are searched for, where they are not given.
    """
    found = within_kinds(vectors, kinds_of_texts(members, len(vectors)), floor=floor) if hits is None else hits
    return expanded(found, members)


def similar_between(members: pl.DataFrame, others: pl.DataFrame, vectors: Vectors, *, floor: float) -> pl.DataFrame:
    """Every pair of a member and one of the others, likewise."""
    kinds, other_kinds = kinds_of_texts(members, len(vectors)), kinds_of_texts(others, len(vectors))
    return expanded_between(between_kinds(vectors, kinds, other_kinds, floor=floor), members, others)


def kinds_of_texts(members: pl.DataFrame, count: int) -> Kinds:
    """The kinds of each text: those of all the members that have it."""
    kinds = np.zeros(count, dtype=np.uint8)
    np.bitwise_or.at(kinds, members["text"].to_numpy(), members["kinds"].to_numpy())
    return kinds
