"""All combinations of the concepts of each sentence, a part at a time, so that memory stays bounded.

A combination belongs to the part of its rarest concept. Rare concepts come first, so that the parts are even: what
contains a concept of few sentences has few sentences, and the commonest concepts are first in nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
import polars as pl
from numpy.typing import NDArray

from situatedgen.commongen.params import SIZES
from situatedgen.errors import SettingsError

BUDGET = 2_000_000
"""How many combinations are in memory at once, with 14 bytes each and as much again while they are sorted."""
BITS = 16
LARGEST = (1 << BITS) - 1

Ids = NDArray[np.uint16]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Group:
    """Sentences of as many concepts: the number of each, and its concepts as ascending numbers."""

    sentences: NDArray[np.uint32]
    ids: Ids


@dataclass(frozen=True, eq=False)
class Corpus:
    """The concepts, the rarest first and numbered from 1, and the sentences by how many of them each has."""

    names: tuple[str, ...]
    frequencies: Numbers
    groups: tuple[Group, ...]


@dataclass(frozen=True, eq=False)
class Sets:
    """Distinct concept sets: the numbers of their concepts (0 where there are fewer than five), and their sentences.

    The sentences of set `i` are `sentences[starts[i] : starts[i] + counts[i]]`.
    """

    ids: Ids
    starts: Numbers
    counts: Numbers
    sentences: NDArray[np.uint32]

    @property
    def sizes(self) -> Numbers:
        """How many concepts each set has."""
        return np.asarray(np.count_nonzero(self.ids, axis=1))


def corpus(concepts: pl.DataFrame, *, min_captions: int = 1) -> Corpus:
    """The sentences of a table as numbers; those of too few concepts for a set are left out.

    Raises:
        SettingsError: there are too many concepts.
    """
    long = concepts.select("concepts").with_row_index("sentence").explode("concepts", empty_as_null=False)
    counted = long.group_by("concepts").len().filter(pl.col("len") >= min_captions).sort("len", "concepts")
    if counted.height > LARGEST:
        raise SettingsError(
            f"{counted.height:,} concepts are more than {LARGEST:,}; give a vocabulary, or raise"
            " concept_counts.min_captions"
        )
    ranked = counted.with_columns(pl.int_range(1, pl.len() + 1, dtype=pl.UInt16).alias("id"))
    numbered = long.join(ranked.select("concepts", "id"), on="concepts").sort("sentence", "id")
    groups = tuple(_groups(numbered["sentence"].to_numpy(), numbered["id"].to_numpy()))
    return Corpus(tuple(counted["concepts"]), counted["len"].to_numpy().astype(np.int64), groups)


def _groups(sentences: NDArray[np.uint32], ids: Ids) -> Iterator[Group]:
    distinct, starts, counts = np.unique(sentences, return_index=True, return_counts=True)
    for count in np.unique(counts[counts >= min(SIZES)]):
        chosen = counts == count
        yield Group(distinct[chosen], ids[starts[chosen][:, None] + np.arange(count)])


def parts(given: Corpus, *, budget: int = BUDGET) -> list[tuple[int, int]]:
    """Ranges of first concepts, each with few enough combinations, or of one concept alone."""
    weights = np.zeros(len(given.names) + 1, dtype=np.int64)
    for group in given.groups:
        width = group.ids.shape[1]
        for place in range(width):
            combinations_after = sum(comb(width - 1 - place, size - 1) for size in SIZES)
            weights += combinations_after * np.bincount(group.ids[:, place], minlength=len(weights))
    return list(_ranges(weights.tolist(), budget))


def _ranges(weights: Sequence[int], budget: int) -> Iterator[tuple[int, int]]:
    low, total = 1, 0
    for first in range(1, len(weights)):
        if total and total + weights[first] > budget:
            yield low, first
            low, total = first, 0
        total += weights[first]
    if total:
        yield low, len(weights)


def sets(given: Corpus, low: int, high: int) -> Sets:
    """The distinct concept sets whose rarest concept is in a range, with the sentences that have all of each."""
    firsts, rests, sentences = _occurrences(given, low, high)
    order = np.lexsort((sentences, rests, firsts))
    firsts, rests, sentences = firsts[order], rests[order], sentences[order]
    is_new = np.ones(len(firsts), dtype=bool)
    is_new[1:] = (firsts[1:] != firsts[:-1]) | (rests[1:] != rests[:-1])
    starts = np.flatnonzero(is_new)
    counts = np.diff(np.append(starts, len(firsts)))
    return Sets(_unpacked(firsts[starts], rests[starts]), starts, counts, sentences)


def _occurrences(given: Corpus, low: int, high: int) -> tuple[Ids, NDArray[np.uint64], NDArray[np.uint32]]:
    """Each combination of each sentence: its first concept, the others packed into one number, and the sentence."""
    firsts, rests, sentences = [np.empty(0, np.uint16)], [np.empty(0, np.uint64)], [np.empty(0, np.uint32)]
    for group in given.groups:
        width = group.ids.shape[1]
        for place in range(width - min(SIZES) + 1):
            column = group.ids[:, place]
            rows = np.flatnonzero((column >= low) & (column < high))
            if not len(rows):
                continue
            chosen = group.ids[rows].astype(np.uint64)
            for size in SIZES:
                for others in combinations(range(place + 1, width), size - 1):
                    firsts.append(column[rows])
                    rests.append(_packed(chosen, others))
                    sentences.append(group.sentences[rows])
    return np.concatenate(firsts), np.concatenate(rests), np.concatenate(sentences)


def _packed(ids: NDArray[np.uint64], columns: tuple[int, ...]) -> NDArray[np.uint64]:
    packed = np.zeros(len(ids), dtype=np.uint64)
    for place, column in enumerate(columns):
        packed |= ids[:, column] << np.uint64(BITS * place)
    return packed


def _unpacked(firsts: Ids, rests: NDArray[np.uint64]) -> Ids:
    others = [(rests >> np.uint64(BITS * place)) & np.uint64(LARGEST) for place in range(max(SIZES) - 1)]
    return np.stack([firsts, *(each.astype(np.uint16) for each in others)], axis=1)
