"""How much a concept set is worth: sentences times diversity times inverse set frequency (CommonGen, section 3.1)."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from situatedgen.commongen.combining import Corpus, Sets

WORD = r"\w+(?:['’-]\w+)*"
EXPANDED = 4_000_000
"""How many words of sentences are compared at once."""

Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Words:
    """The distinct words of each sentence as numbers, one after the other, and how long each sentence is."""

    words: NDArray[np.uint32]
    starts: Numbers
    counts: Numbers
    lengths: Numbers


def words_of(texts: pl.Series) -> Words:
    """The words of texts, in lower case and without punctuation."""
    found = texts.str.to_lowercase().str.extract_all(WORD)
    distinct = found.list.unique(maintain_order=False)
    counts = distinct.list.len().to_numpy().astype(np.int64)
    flat = distinct.explode(empty_as_null=False)
    numbers = flat.rank("dense").to_numpy() if len(flat) else np.empty(0)
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]]) if len(counts) else counts
    return Words(numbers.astype(np.uint32), starts, counts, found.list.len().to_numpy().astype(np.int64))


def diversities(found: Sets, words: Words) -> Floats:
    """Of each set, how many distinct words its sentences have, by the sum of their lengths."""
    lengths = np.add.reduceat(words.lengths[found.sentences], found.starts)
    distinct = words.counts[found.sentences[found.starts]].copy()
    for chosen in _shares(found, words):
        distinct[chosen] = _unions(found, chosen, words)
    return np.asarray(distinct / np.maximum(lengths, 1))


def _shares(found: Sets, words: Words) -> Iterator[Numbers]:
    """The sets of several sentences, some at a time, so that their words fit into memory."""
    several = np.flatnonzero(found.counts > 1)
    if not len(several):
        return
    sizes = np.add.reduceat(words.counts[found.sentences], found.starts)[several]
    share = np.cumsum(sizes) // EXPANDED
    yield from np.split(several, np.flatnonzero(np.diff(share)) + 1)


def _unions(found: Sets, chosen: Numbers, words: Words) -> Numbers:
    """How many distinct words the sentences of each of these sets have together."""
    counts = found.counts[chosen]
    sentences = found.sentences[spans(found.starts[chosen], counts)]
    owners = np.repeat(np.arange(len(chosen), dtype=np.uint64), counts)
    lengths = words.counts[sentences]
    met = words.words[spans(words.starts[sentences], lengths)]
    pairs = np.sort((np.repeat(owners, lengths) << np.uint64(32)) | met)
    is_new = np.ones(len(pairs), dtype=bool)
    is_new[1:] = pairs[1:] != pairs[:-1]
    return np.bincount((pairs[is_new] >> np.uint64(32)).astype(np.int64), minlength=len(chosen))


def spans(starts: Numbers, counts: Numbers) -> Numbers:
    """The numbers of each span, one span after the other.

    Example:
        >>> spans(np.array([5, 0]), np.array([2, 3])).tolist()
        [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    return np.asarray(np.repeat(starts - (ends - counts), counts) + np.arange(total))


def penalties(found: Sets, frequencies: Numbers, total: int) -> Floats:
    """The number of all sets, by that of the sets that the commonest concept of each is in (the paper's ρ).

    `frequencies` are the sets that each concept is in, in the order of the corpus.
    """
    padded = np.concatenate([[0], frequencies])
    return np.asarray(total / np.maximum(padded[found.ids].max(axis=1), 1))


def chances(found: Sets, given: Corpus, seed: int) -> Floats:
    """A number between 0 and 1 for each set, which depends on the seed and its concepts alone."""
    hashes = np.array([0, *(_hash(seed, name) for name in given.names)], dtype=np.uint64)
    mixed = hashes[found.ids].sum(axis=1, dtype=np.uint64)
    for factor in (0xBF58476D1CE4E5B9, 0x94D049BB133111EB):
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    return np.asarray(((mixed >> np.uint64(11)).astype(np.float64) + 0.5) / 2**53)


def _hash(seed: int, name: str) -> int:
    return int.from_bytes(hashlib.blake2b(f"{seed}\x1f{name}".encode(), digest_size=8).digest(), "big")
