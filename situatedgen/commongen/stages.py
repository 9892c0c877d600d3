"""Pipeline stages from captions to concept sets with sentences and splits; each maps tables to a table."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
import polars as pl
from numpy.typing import NDArray

from situatedgen import seeds
from situatedgen.commongen.params import (
    CONCEPT_COUNTS,
    CONCEPT_EXAMPLES,
    CONCEPT_SETS,
    CONCEPT_SPLITS,
    CONCEPTS,
    SIZES,
    ConceptCountParams,
    ConceptExampleParams,
    ConceptParams,
    ConceptSetParams,
    ConceptSplitParams,
    Fate,
)
from situatedgen.errors import SettingsError
from situatedgen.models.batches import answer_rows, check_count
from situatedgen.models.roles import Lemmatiser, RowModel, Vocabulary
from situatedgen.records import Lemma
from situatedgen.vocabulary import Split, Verdict

BUDGET = 2_000_000
"""Maximum number of combinations in memory, at 14 bytes each and as much again during sorting."""
BITS = 16
LARGEST = (1 << BITS) - 1

Ids = NDArray[np.uint16]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Group:
    """Sentences with the same number of concepts: their numbers, and their concept ids in ascending order."""

    sentences: NDArray[np.uint32]
    ids: Ids


@dataclass(frozen=True, eq=False)
class Corpus:
    """The concepts, rarest first and numbered from 1, and the sentences grouped by number of concepts."""

    names: tuple[str, ...]
    frequencies: Numbers
    groups: tuple[Group, ...]


@dataclass(frozen=True, eq=False)
class Sets:
    """Distinct concept sets: the ids of their concepts (0-padded to five), and their sentences.

    The sentences of set `i` are `sentences[starts[i] : starts[i] + counts[i]]`.
    """

    ids: Ids
    starts: Numbers
    counts: Numbers
    sentences: NDArray[np.uint32]

    @property
    def sizes(self) -> Numbers:
        """Number of concepts per set."""
        return np.asarray(np.count_nonzero(self.ids, axis=1))


def make_corpus(concepts: pl.DataFrame, *, min_captions: int = 1) -> Corpus:
    """Encode the sentences of a table as concept ids, dropping those with too few concepts for a set.

    Raises:
        SettingsError: there are too many concepts.
    """
    long = concepts.select("concepts").with_row_index("sentence").explode("concepts", empty_as_null=False)
    counted = long.group_by("concepts").len().filter(pl.col("len") >= min_captions).sort("len", "concepts")
    if counted.height > LARGEST:
        raise SettingsError(
            f"found {counted.height:,} concepts, but at most {LARGEST:,} are supported; use a vocabulary, or raise"
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
    """Ranges of first concepts whose combinations fit into the budget; a range has at least one concept."""
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
    """Distinct concept sets whose rarest concept is in the range, with the sentences that contain all of each."""
    firsts, rests, sentences = _occurrences(given, low, high)
    order = np.lexsort((sentences, rests, firsts))
    firsts, rests, sentences = firsts[order], rests[order], sentences[order]
    is_new = np.ones(len(firsts), dtype=bool)
    is_new[1:] = (firsts[1:] != firsts[:-1]) | (rests[1:] != rests[:-1])
    starts = np.flatnonzero(is_new)
    counts = np.diff(np.append(starts, len(firsts)))
    return Sets(_unpack(firsts[starts], rests[starts]), starts, counts, sentences)


def _occurrences(given: Corpus, low: int, high: int) -> tuple[Ids, NDArray[np.uint64], NDArray[np.uint32]]:
    """Every combination in every sentence: its first concept, the others packed into one integer, and the sentence."""
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
                    rests.append(_pack(chosen, others))
                    sentences.append(group.sentences[rows])
    return np.concatenate(firsts), np.concatenate(rests), np.concatenate(sentences)


def _pack(ids: NDArray[np.uint64], columns: tuple[int, ...]) -> NDArray[np.uint64]:
    packed = np.zeros(len(ids), dtype=np.uint64)
    for place, column in enumerate(columns):
        packed |= ids[:, column] << np.uint64(BITS * place)
    return packed


def _unpack(firsts: Ids, rests: NDArray[np.uint64]) -> Ids:
    others = [(rests >> np.uint64(BITS * place)) & np.uint64(LARGEST) for place in range(max(SIZES) - 1)]
    return np.stack([firsts, *(each.astype(np.uint16) for each in others)], axis=1)


WORD = r"\w+(?:['’-]\w+)*"
EXPANDED = 4_000_000
"""Maximum number of sentence words compared at once."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Words:
    """The distinct words of each sentence as ids, concatenated, and the sentence lengths."""

    words: NDArray[np.uint32]
    starts: Numbers
    counts: Numbers
    lengths: Numbers


def words_of(texts: pl.Series) -> Words:
    """Words of texts, lowercased and without punctuation."""
    found = texts.str.to_lowercase().str.extract_all(WORD)
    distinct = found.list.unique(maintain_order=False)
    counts = distinct.list.len().to_numpy().astype(np.int64)
    flat = distinct.explode(empty_as_null=False)
    numbers = flat.rank("dense").to_numpy() if len(flat) else np.empty(0)
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]]) if len(counts) else counts
    return Words(numbers.astype(np.uint32), starts, counts, found.list.len().to_numpy().astype(np.int64))


def diversities(found: Sets, words: Words) -> Floats:
    """Per set, the number of distinct words in its sentences divided by the sum of their lengths."""
    lengths = np.add.reduceat(words.lengths[found.sentences], found.starts)
    distinct = words.counts[found.sentences[found.starts]].copy()
    for chosen in _blocks(found, words):
        distinct[chosen] = _count_distinct(found, chosen, words)
    return np.asarray(distinct / np.maximum(lengths, 1))


def _blocks(found: Sets, words: Words) -> Iterator[Numbers]:
    """Yield the sets with several sentences in blocks whose words fit into memory."""
    several = np.flatnonzero(found.counts > 1)
    if not len(several):
        return
    sizes = np.add.reduceat(words.counts[found.sentences], found.starts)[several]
    share = np.cumsum(sizes) // EXPANDED
    yield from np.split(several, np.flatnonzero(np.diff(share)) + 1)


def _count_distinct(found: Sets, chosen: Numbers, words: Words) -> Numbers:
    """Number of distinct words in all sentences of each set."""
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
    """Concatenate the ranges given by starts and counts.

    Example:
        >>> spans(np.array([5, 0]), np.array([2, 3])).tolist()
        [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    return np.asarray(np.repeat(starts - (ends - counts), counts) + np.arange(total))


def penalties(found: Sets, frequencies: Numbers, total: int) -> Floats:
    """Number of all sets divided by that of the sets that contain a set's most frequent concept (the paper's ρ).

    `frequencies` counts the sets that contain each concept, in corpus order.
    """
    padded = np.concatenate([[0], frequencies])
    return np.asarray(total / np.maximum(padded[found.ids].max(axis=1), 1))


def chances(found: Sets, given: Corpus, seed: int) -> Floats:
    """A pseudo-random number in (0, 1) per set, which depends only on the seed and the set's concepts."""
    hashes = np.array([0, *(_hash(seed, name) for name in given.names)], dtype=np.uint64)
    mixed = hashes[found.ids].sum(axis=1, dtype=np.uint64)
    for factor in (0xBF58476D1CE4E5B9, 0x94D049BB133111EB):
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    return np.asarray(((mixed >> np.uint64(11)).astype(np.float64) + 0.5) / 2**53)


def _hash(seed: int, name: str) -> int:
    return int.from_bytes(hashlib.blake2b(f"{seed}\x1f{name}".encode(), digest_size=8).digest(), "big")


SEPARATOR = "#"


def captions(items: pl.DataFrame) -> pl.DataFrame:
    """The distinct captions to lemmatise."""
    return items.filter(pl.col("verdict") == Verdict.KEPT).select(text="statement").unique().sort("text")


def concepts(
    items: pl.DataFrame, *, params: ConceptParams, lemmatiser: Lemmatiser | RowModel, vocabulary: Vocabulary
) -> pl.DataFrame:
    """Find the concepts of every distinct caption: the lemmas of its nouns and verbs that are in the vocabulary."""
    found = answer_rows("lemmatiser", lemmatiser, captions(items))
    lemmas = [tuple(map(Lemma, texts, parts)) for texts, parts in found.select("lemmas", "parts").iter_rows()]
    known = _name_concepts({lemma for listed in lemmas for lemma in listed}, vocabulary)
    named = [sorted({known[lemma] for lemma in listed if lemma in known}) for listed in lemmas]
    chosen = [names if len(names) <= params.max_concepts else [] for names in named]
    return pl.DataFrame({"text": found["text"], "concepts": chosen}, schema=dict(CONCEPTS.columns))


def _name_concepts(lemmas: set[Lemma], vocabulary: Vocabulary) -> dict[Lemma, str]:
    """Map each lemma that is a concept to its name, such as `dog_N`."""
    listed = sorted(lemmas)
    known = vocabulary.known([lemma.text for lemma in listed])
    check_count("vocabulary", len(listed), len(known))
    return {lemma: f"{lemma.text}_{lemma.part}" for lemma, is_known in zip(listed, known, strict=True) if is_known}


def concept_counts(concepts: pl.DataFrame, *, params: ConceptCountParams) -> pl.DataFrame:
    """Count the captions of every concept, and the concept sets of three to five that contain it."""
    corpus = make_corpus(concepts, min_captions=params.min_captions)
    counts = np.zeros((len(SIZES), len(corpus.names) + 1), dtype=np.int64)
    for low, high in parts(corpus):
        found = sets(corpus, low, high)
        sizes = found.sizes
        for row, size in enumerate(SIZES):
            counts[row] += np.bincount(found.ids[sizes == size][:, :size].ravel(), minlength=counts.shape[1])
    columns = {f"sets_{size}": counts[row, 1:] for row, size in enumerate(SIZES)}
    table = pl.DataFrame({"concept": corpus.names, "sentences": corpus.frequencies, **columns})
    return table.cast(pl.Schema(CONCEPT_COUNTS.columns)).sort("concept")


def concept_sets(concepts: pl.DataFrame, concept_counts: pl.DataFrame, *, params: ConceptSetParams) -> pl.DataFrame:
    """Sample concept sets without replacement, with probability proportional to their score."""
    known = concept_counts["concept"].to_list()
    corpus = make_corpus(concepts.with_columns(pl.col("concepts").list.set_intersection(known)))
    words = words_of(concepts["text"])
    frequencies, total = _set_frequencies(corpus, concept_counts)
    drawn = _WeightedSample(params.samples)
    for low, high in parts(corpus):
        found = sets(corpus, low, high)
        diversity = diversities(found, words)
        penalty = penalties(found, frequencies, total)
        score = found.counts * diversity * penalty
        arrivals = -np.log(chances(found, corpus, params.seed)) / score
        drawn.add(arrivals, found, (diversity, penalty, score), where=found.counts >= params.min_sentences)
    return drawn.table(corpus)


def _set_frequencies(corpus: Corpus, concept_counts: pl.DataFrame) -> tuple[Numbers, int]:
    """Number of sets that contain each concept, in corpus order, and the total number of sets."""
    total = sum(int(concept_counts[f"sets_{size}"].sum()) // size for size in SIZES)
    summed = concept_counts.select("concept", pl.sum_horizontal(f"sets_{size}" for size in SIZES).alias("sets"))
    by_name = dict(summed.iter_rows())
    return np.array([by_name[name] for name in corpus.names], dtype=np.int64), total


class _WeightedSample:
    """Weighted sample without replacement, kept as the sets with the earliest arrivals so far.

    A set of score s arrives at -log(u) / s, where u is its random number: the first n arrivals are a sample of n
    without replacement (Efraimidis and Spirakis 2006), however the sets are split into parts.
    """

    def __init__(self, samples: int) -> None:
        self._samples = samples
        self._arrivals: Floats = np.empty(0)
        self._rows = np.empty((0, max(SIZES)), dtype=np.uint16)
        self._values = np.empty((0, 4))

    def add(
        self,
        arrivals: Floats,
        found: Sets,
        values: tuple[Floats, ...],
        *,
        where: NDArray[np.bool_],
    ) -> None:
        """Add the sets of a part for which `where` holds."""
        self._arrivals = np.concatenate([self._arrivals, arrivals[where]])
        self._rows = np.concatenate([self._rows, found.ids[where]])
        self._values = np.concatenate([self._values, np.stack([found.counts, *values], axis=1)[where]])
        if len(self._arrivals) > self._samples:
            first = np.argpartition(self._arrivals, self._samples - 1)[: self._samples]
            self._arrivals, self._rows, self._values = self._arrivals[first], self._rows[first], self._values[first]

    def table(self, corpus: Corpus) -> pl.DataFrame:
        """The sampled sets by name."""
        names = ["", *corpus.names]
        named = [SEPARATOR.join(sorted(names[each] for each in row if each)) for row in self._rows.tolist()]
        columns = {
            "concept_set": named,
            "size": np.count_nonzero(self._rows, axis=1),
            "sentences": self._values[:, 0],
            "diversity": self._values[:, 1],
            "penalty": self._values[:, 2],
            "score": self._values[:, 3],
        }
        return pl.DataFrame(columns).cast(pl.Schema(CONCEPT_SETS.columns)).sort("concept_set")


def concept_splits(concept_sets: pl.DataFrame, *, params: ConceptSplitParams) -> pl.DataFrame:
    """Assign the best concept sets of each size to dev and test, and the rest to train unless they overlap."""
    assigned: dict[str, Split] = {}
    for size, dev, test in zip(SIZES, params.dev, params.test, strict=True):
        ranked = concept_sets.filter(pl.col("size") == size).sort("score", "concept_set", descending=[True, False])
        assigned |= _assign_splits(ranked["concept_set"].to_list(), dev, test, params)
    seen = overlaps(assigned, params.max_overlap + 1)
    rows = [
        (name, size, score, assigned.get(name, Split.TRAIN), _fate(name, assigned, seen, params))
        for name, size, score in concept_sets.select("concept_set", "size", "score").iter_rows()
    ]
    return CONCEPT_SPLITS.frame(rows)


def _assign_splits(ranked: list[str], dev: int, test: int, params: ConceptSplitParams) -> dict[str, Split]:
    """Split of each of the best sets of a size; if there are too few, dev and test shrink in proportion."""
    most = int(len(ranked) * params.max_share)
    shrunk = min(1.0, most / (dev + test)) if dev + test else 0.0
    dev, test = int(dev * shrunk), int(test * shrunk)
    best = ranked[: dev + test]
    order = seeds.order(params.seed, f"concept_splits{len(best)}", len(best))
    return {best[place]: Split.DEV if number < dev else Split.TEST for number, place in enumerate(order)}


def overlaps(names: Iterable[str], count: int) -> set[tuple[str, ...]]:
    """All combinations of `count` concepts within one of the sets."""
    return {each for name in names for each in combinations(sorted(name.split(SEPARATOR)), count)}


def _fate(name: str, assigned: dict[str, Split], seen: set[tuple[str, ...]], params: ConceptSplitParams) -> Fate:
    is_out = name not in assigned and not seen.isdisjoint(overlaps([name], params.max_overlap + 1))
    return Fate.OVERLAPS_EVALUATION if is_out else Fate.KEPT


def concept_examples(
    concepts: pl.DataFrame, concept_splits: pl.DataFrame, *, params: ConceptExampleParams
) -> pl.DataFrame:
    """Attach to each kept concept set the captions that contain all its concepts; no caption is in two splits."""
    kept = concept_splits.filter(pl.col("verdict") == Fate.KEPT)
    texts, where = concepts["text"], _sentences_of(concepts, kept["concept_set"])
    rows, taken = list[tuple[object, ...]](), frozenset[int]()
    for split in (Split.TEST, Split.DEV, Split.TRAIN):
        names = kept.filter(pl.col("split") == split.value)["concept_set"].to_list()
        chosen = {name: _choose_sentences(name, where, taken, params) for name in names}
        rows += [(name, split, [texts[each] for each in found], _fate_of(found)) for name, found in chosen.items()]
        taken |= {each for found in chosen.values() for each in found}
    return CONCEPT_EXAMPLES.frame(rows)


def _choose_sentences(
    name: str, where: Mapping[str, frozenset[int]], taken: frozenset[int], params: ConceptExampleParams
) -> list[int]:
    """Choose up to `max_scenes` sentences of a set that no earlier split has taken."""
    met = sorted(frozenset.intersection(*(where[concept] for concept in name.split(SEPARATOR))) - taken)
    order = seeds.order(params.seed, name, len(met))[: params.max_scenes]
    return [met[place] for place in sorted(order)]


def _fate_of(found: Sequence[int]) -> Fate:
    return Fate.KEPT if found else Fate.NO_CAPTION_LEFT


def _sentences_of(concepts: pl.DataFrame, names: pl.Series) -> dict[str, frozenset[int]]:
    """Sentences of each concept that occurs in one of these sets."""
    wanted = names.str.split(SEPARATOR).explode(empty_as_null=False).unique()
    long = concepts.select("concepts").with_row_index("sentence").explode("concepts", empty_as_null=False)
    found = long.filter(pl.col("concepts").is_in(wanted.implode())).group_by("concepts").agg("sentence")
    return {concept: frozenset(sentences) for concept, sentences in found.iter_rows()}
