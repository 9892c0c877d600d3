"""Candidate pairs: searches each distinct text once, expands hits to statements, and detects unchanged statements."""

from hashlib import blake2b

import numpy as np
import polars as pl
from numpy.typing import NDArray

from situatedgen.mining.pool import Pool
from situatedgen.mining.search import BLOCK, Hits, Kinds, Vectors, between_kinds, stripes, within_kinds
from situatedgen.mining.verdicts import Flags, Numbers, traces_of, verdicts
from situatedgen.schemas import VERDICT
from situatedgen.vocabulary import Verdict

PAIR_COLUMNS = {"left": pl.UInt32(), "right": pl.UInt32(), "similarity": pl.Float32()}
SHARE_A_KIND = (pl.col("kinds") & pl.col("kinds_right")) != 0
UPWARD = (
    pl.min_horizontal("number", "number_right").alias("left"),
    pl.max_horizontal("number", "number_right").alias("right"),
    pl.col("similarity"),
)


def expand_hits(hits: Hits, members: pl.DataFrame) -> pl.DataFrame:
    """Every pair of members whose texts are a hit or identical, left < right, with the similarity.

    Each hit must be given in one order only.
    """
    return pl.concat([_expand_hits(hits, members, members), _same_text_pairs(members)])


def expand_hits_between(hits: Hits, members: pl.DataFrame, others: pl.DataFrame) -> pl.DataFrame:
    """Every pair of a member and one of the others whose texts are a hit or identical, left < right.

    The left text of a hit belongs to a member, the right one to one of the others.
    """
    texts = np.intersect1d(members["text"], others["text"]).astype(np.int32)
    same = Hits(texts, texts, np.ones(len(texts), dtype=np.float32))
    return pl.concat([_expand_hits(hits, members, others), _expand_hits(same, members, others)])


def _expand_hits(hits: Hits, members: pl.DataFrame, others: pl.DataFrame) -> pl.DataFrame:
    """The pairs of a member that has the left text of a hit and one of the others that has its right text."""
    pairs = pl.LazyFrame({"text": hits.left, "text_right": hits.right, "similarity": hits.similarity})
    return (
        pairs.join(members.lazy(), on="text")
        .join(others.lazy(), left_on="text_right", right_on="text", suffix="_right")
        .filter(SHARE_A_KIND)
        .select(*UPWARD)
        .collect()
    )


def _same_text_pairs(members: pl.DataFrame) -> pl.DataFrame:
    """The pairs of members with the same text: each with the members of that text that come after it."""
    ordered = members.sort("text", "number")
    numbers, kinds = ordered["number"].to_numpy(), ordered["kinds"].to_numpy()
    later = _count_later(ordered["text"])
    left = np.repeat(np.arange(len(ordered)), later)
    right = left + 1 + _ranges(later)
    share = (kinds[left] & kinds[right]) != 0
    left, right = left[share], right[share]
    columns = (numbers[left], numbers[right], np.ones(len(left), dtype=np.float32))
    return pl.DataFrame(dict(zip(PAIR_COLUMNS, columns, strict=True)), schema=PAIR_COLUMNS)


def _count_later(texts: pl.Series) -> NDArray[np.int64]:
    """How many equal values follow each value of a sorted series."""
    values = texts.to_numpy()
    return np.searchsorted(values, values, side="right") - np.arange(1, len(values) + 1)


def _ranges(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Concatenation of `arange(length)` for each length."""
    starts = np.cumsum(lengths) - lengths
    return np.arange(lengths.sum()) - np.repeat(starts, lengths)


def similar_within(members: pl.DataFrame, vectors: Vectors, *, floor: float, hits: Hits | None = None) -> pl.DataFrame:
    """Every pair of members that share a kind and whose texts reach the floor, left < right.

    Searches for the `hits` among their texts unless they are given.
    """
    found = within_kinds(vectors, kinds_of_texts(members, len(vectors)), floor=floor) if hits is None else hits
    return expand_hits(found, members)


def similar_between(members: pl.DataFrame, others: pl.DataFrame, vectors: Vectors, *, floor: float) -> pl.DataFrame:
    """Every pair of a member and one of the others that share a kind and whose texts reach the floor."""
    kinds, other_kinds = kinds_of_texts(members, len(vectors)), kinds_of_texts(others, len(vectors))
    return expand_hits_between(between_kinds(vectors, kinds, other_kinds, floor=floor), members, others)


def kinds_of_texts(members: pl.DataFrame, count: int) -> Kinds:
    """The kinds of each text: the union over all members that have it."""
    kinds = np.zeros(count, dtype=np.uint8)
    np.bitwise_or.at(kinds, members["text"].to_numpy(), members["kinds"].to_numpy())
    return kinds


# Vectors compared at a time, few enough to stay in the CPU cache.
CHUNK = 256
COMPARED = ("statement", "names", "context", "masked_text")


def find_unchanged(pool: Pool, before: Pool) -> Flags:
    """Flags of the statements whose inputs to pairing are identical in an earlier pool, bit for bit."""
    rows = pool.rows.with_row_index("number")
    same = rows.join(before.rows, on="statement_id", suffix="_before").filter(
        pl.col(column).eq_missing(pl.col(f"{column}_before")) for column in COMPARED
    )
    alike = _same_bits(pool.vectors, same["text"], before.vectors, same["text_before"])
    flags = np.zeros(len(rows), dtype=np.bool_)
    flags[same["number"].to_numpy()[alike]] = True
    return flags


def reuse_rows(result: pl.DataFrame, pool: Pool, is_unchanged: Flags, *, floor: float) -> pl.DataFrame:
    """The rows of an earlier result between unchanged statements that reach the floor, with statement numbers."""
    numbers = pool.rows.select("statement_id").with_row_index("number").filter(pl.Series(is_unchanged)).lazy()
    return (
        result.lazy()
        .filter(pl.col("similarity") >= pl.lit(floor, pl.Float32))
        .join(numbers.rename({"statement_id": "left_id", "number": "left"}), on="left_id")
        .join(numbers.rename({"statement_id": "right_id", "number": "right"}), on="right_id")
        .select("left", "right", "similarity", "verdict")
        .collect()
    )


def overlap(earlier_masks: pl.DataFrame, masks: pl.DataFrame) -> int:
    """Number of kept statements that an earlier run kept with the same masked text and context.

    Measures how much of that run can be reused.
    """
    before, now = (table.filter(pl.col("verdict") == Verdict.KEPT) for table in (earlier_masks, masks))
    return now.join(before, on=["statement_id", "masked_text", "context"], how="semi").height


def _same_bits(ones: Vectors, one: pl.Series, others: Vectors, other: pl.Series) -> Flags:
    """Whether the vectors at positions `one` and `other` of two sets are identical, bit for bit."""
    if ones.shape[1:] != others.shape[1:]:
        return np.zeros(len(one), dtype=np.bool_)
    left, right = one.to_numpy(), other.to_numpy()
    same = np.empty(len(left), dtype=np.bool_)
    for start in range(0, len(left), CHUNK):
        part = slice(start, start + CHUNK)
        same[part] = (ones[left[part]].view(np.uint32) == others[right[part]].view(np.uint32)).all(axis=1)
    return same


JUDGED_PAIR = pl.Schema({**PAIR_COLUMNS, "verdict": VERDICT})
HELD = 1 << 20
"""How many surplus pairs may accumulate before they are pruned."""
SAME_TEXT = 0.999
"""A cosine that every unit vector reaches with itself, despite rounding."""
ODD = np.uint64(0x9E3779B97F4A7C15)


class Nearest:
    """Collects pairs and keeps the nearest ones of each statement, by statement number."""

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
        """Judge pairs and keep those that can still be among the nearest; identical texts get similarity 1."""
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
        """Drop all pairs but the nearest, and return these.

        With k = `most`, a pair that breaks no rule stays if it is among the k nearest such pairs of either statement;
        any other pair, if it is among the k nearest pairs of any verdict. A hash of the ids breaks ties.
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
    """The similar pairs that are among the `most` nearest of either statement: all of them, or those between two parts.

    A part is a flag for each statement; the two parts are identical or disjoint.
    """
    found = Nearest(pool, most, floor=floor)
    everyone = np.ones(len(pool.rows), dtype=np.bool_)
    rows, columns = (np.flatnonzero(part).astype(np.uint32) for part in parts or (everyone, everyone))
    others = None if np.array_equal(rows, columns) else pool.vectors[found.texts[columns]]
    for hits in stripes(pool.vectors[found.texts[rows]], others, floor=min(floor, SAME_TEXT), block=block):
        found.add(rows[hits.left], columns[hits.right], hits.similarity)
    return found.prune()


def ranks(left: Numbers, right: Numbers, similarity: Vectors, chance: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The rank of each pair among those of its left statement (first row) and of its right one (second row)."""
    ends = np.concatenate([left, right])
    order = np.lexsort((np.tile(chance, 2), np.tile(-similarity, 2), ends))
    found = np.empty(len(ends), dtype=np.int64)
    found[order] = np.arange(len(ends)) - np.searchsorted(ends[order], ends[order])
    return found.reshape(2, -1)


def id_hashes(ids: pl.Series) -> NDArray[np.uint64]:
    """A 64-bit hash of each id."""
    return np.array([int.from_bytes(blake2b(each.encode(), digest_size=8).digest()) for each in ids], dtype=np.uint64)
