"""The nearest neighbours of every statement: exact, and in memory that grows with the statements alone.

Similar pairs are searched for by blocks of statements. Of the pairs found so far only the nearest are held, and of the
next block only those are judged that may be nearer.
"""

from hashlib import blake2b

import numpy as np
import polars as pl
from numpy.typing import NDArray

from situatedgen.mining.expansion import PAIR_COLUMNS
from situatedgen.mining.judging import Flags, Numbers, traces_of, verdicts
from situatedgen.mining.pool import Pool
from situatedgen.mining.search import BLOCK, stripes
from situatedgen.mining.similarity import Vectors
from situatedgen.schemas import VERDICT
from situatedgen.vocabulary import Verdict

JUDGED_PAIR = pl.Schema({**PAIR_COLUMNS, "verdict": VERDICT})
HELD = 1 << 20
"""How many pairs more than are needed may be held before they are pruned."""
SAME_TEXT = 0.999
"""A cosine that every vector of unit length has with itself, however it is rounded."""
ODD = np.uint64(0x9E3779B97F4A7C15)


class Nearest:
    """The nearest pairs of those that were added so far, by the numbers of their statements."""

    def __init__(self, pool: Pool, most: int, *, floor: float, held: int = HELD) -> None:
        members = pool.members
        self.most, self.floor, self.held = most, np.float32(floor), held
        self.texts, self.kinds = (members[name].to_numpy() for name in ("text", "kinds"))
        self.sides = pool.sides(members["number"].to_numpy())
        self.traces = traces_of(self.sides)
        self.hashes = id_hashes(pool.rows["statement_id"])
        self.pairs = pl.DataFrame(schema=JUDGED_PAIR)
        self.bounds = np.full(len(members), -np.inf, dtype=np.float32)
        self.full = held

    def add(self, left: Numbers, right: Numbers, similarity: Vectors) -> None:
        """Judge pairs and hold them, where they may be among the nearest; the same text is as near as can be."""
        near = np.where(self.texts[left] == self.texts[right], np.float32(1), similarity)
        bound = np.minimum(self.bounds[left], self.bounds[right])
        wanted = ((self.kinds[left] & self.kinds[right]) != 0) & (near >= bound) & (near >= self.floor)
        ends = np.minimum(left, right)[wanted], np.maximum(left, right)[wanted]
        judged = (*ends, near[wanted], verdicts(self.sides, *ends, self.traces))
        added = pl.DataFrame(dict(zip(JUDGED_PAIR, judged, strict=True)), schema=JUDGED_PAIR)
        self.pairs = pl.concat([self.pairs, added])
        if len(self.pairs) > self.full:
            self.prune()

    def prune(self) -> pl.DataFrame:
        """The nearest pairs: the others are let go.

        Of pairs that break no rule, those that are among so `many` such nearest of one of their statements; of the
        others those that are among so many nearest of any kind. Of equally near ones a hash of the ids chooses.
        """
        left, right, similarity = (self.pairs[name].to_numpy() for name in PAIR_COLUMNS)
        chance = (self.hashes[left] ^ self.hashes[right]) * ODD
        is_kept = (self.pairs["verdict"] == Verdict.KEPT.value).to_numpy()
        stays = (ranks(left, right, similarity, chance) < self.most).any(axis=0) & ~is_kept
        places = ranks(left[is_kept], right[is_kept], similarity[is_kept], chance[is_kept])
        stays[is_kept] = (places < self.most).any(axis=0)
        for ends, place in zip((left[is_kept], right[is_kept]), places == self.most - 1, strict=True):
            self.bounds[ends[place]] = similarity[is_kept][place]
        self.pairs = self.pairs.filter(pl.Series(stays, dtype=pl.Boolean))
        self.full = len(self.pairs) + max(self.held, len(self.pairs))
        return self.pairs


def nearest(
    pool: Pool, most: int, *, floor: float, parts: tuple[Flags, Flags] | None = None, block: int = BLOCK
) -> pl.DataFrame:
    """The similar pairs that are among the `most` nearest of one of their statements: all, or those of two parts.

    A part says of each statement whether it belongs to it; two parts are the same, or have none in common.
    """
    found = Nearest(pool, most, floor=floor)
    everyone = np.ones(len(pool.rows), dtype=np.bool_)
    rows, columns = (np.flatnonzero(part).astype(np.uint32) for part in parts or (everyone, everyone))
    others = None if np.array_equal(rows, columns) else pool.vectors[found.texts[columns]]
    for hits in stripes(pool.vectors[found.texts[rows]], others, floor=min(floor, SAME_TEXT), block=block):
        found.add(rows[hits.left], columns[hits.right], hits.similarity)
    return found.prune()


def ranks(left: Numbers, right: Numbers, similarity: Vectors, chance: NDArray[np.uint64]) -> NDArray[np.int64]:
    """How many pairs of its left statement come before each pair, and how many of its right one."""
    ends = np.concatenate([left, right])
    order = np.lexsort((np.tile(chance, 2), np.tile(-similarity, 2), ends))
    found = np.empty(len(ends), dtype=np.int64)
    found[order] = np.arange(len(ends)) - np.searchsorted(ends[order], ends[order])
    return found.reshape(2, -1)


def id_hashes(ids: pl.Series) -> NDArray[np.uint64]:
    """A number of 64 bits for each id."""
    return np.array([int.from_bytes(blake2b(each.encode(), digest_size=8).digest()) for each in ids], dtype=np.uint64)
