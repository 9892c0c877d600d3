"""The stages from captions to concept sets with their sentences: tables in, table out."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from situatedgen.commongen import combining, scoring
from situatedgen.commongen.params import SIZES, ConceptCountParams, ConceptParams, ConceptSetParams
from situatedgen.commongen.schemas import CONCEPT_COUNTS, CONCEPT_SETS, CONCEPTS
from situatedgen.models.batches import answered, check_count
from situatedgen.models.roles import Lemmatiser, RowModel, Vocabulary
from situatedgen.records import Lemma
from situatedgen.vocabulary import Verdict

SEPARATOR = "#"


def captions(items: pl.DataFrame) -> pl.DataFrame:
    """The distinct captions that have to be lemmatised."""
    return items.filter(pl.col("verdict") == Verdict.KEPT).select(text="statement").unique().sort("text")


def concepts(
    items: pl.DataFrame, *, params: ConceptParams, lemmatiser: Lemmatiser | RowModel, vocabulary: Vocabulary
) -> pl.DataFrame:
    """Find the concepts of every distinct caption: its nouns and verbs that are in the vocabulary, by lemma."""
    found = answered("lemmatiser", lemmatiser, captions(items))
    lemmas = [tuple(map(Lemma, texts, parts)) for texts, parts in found.select("lemmas", "parts").iter_rows()]
    known = _named({lemma for listed in lemmas for lemma in listed}, vocabulary)
    named = [sorted({known[lemma] for lemma in listed if lemma in known}) for listed in lemmas]
    chosen = [names if len(names) <= params.max_concepts else [] for names in named]
    return pl.DataFrame({"text": found["text"], "concepts": chosen}, schema=dict(CONCEPTS.columns))


def _named(lemmas: set[Lemma], vocabulary: Vocabulary) -> dict[Lemma, str]:
    """The name of each lemma that is a concept: `dog_N`."""
    listed = sorted(lemmas)
    known = vocabulary.known([lemma.text for lemma in listed])
    check_count("vocabulary", len(listed), len(known))
    return {lemma: f"{lemma.text}_{lemma.part}" for lemma, is_known in zip(listed, known, strict=True) if is_known}


def concept_counts(concepts: pl.DataFrame, *, params: ConceptCountParams) -> pl.DataFrame:
    """Count the captions of every concept, and the concept sets of three to five that it is in."""
    corpus = combining.corpus(concepts, min_captions=params.min_captions)
    counts = np.zeros((len(SIZES), len(corpus.names) + 1), dtype=np.int64)
    for low, high in combining.parts(corpus):
        found = combining.sets(corpus, low, high)
        sizes = found.sizes
        for row, size in enumerate(SIZES):
            counts[row] += np.bincount(found.ids[sizes == size][:, :size].ravel(), minlength=counts.shape[1])
    columns = {f"sets_{size}": counts[row, 1:] for row, size in enumerate(SIZES)}
    table = pl.DataFrame({"concept": corpus.names, "sentences": corpus.frequencies, **columns})
    return table.cast(pl.Schema(CONCEPT_COUNTS.columns)).sort("concept")


def concept_sets(concepts: pl.DataFrame, concept_counts: pl.DataFrame, *, params: ConceptSetParams) -> pl.DataFrame:
    """Draw concept sets by their score, without putting any back: the higher, the likelier."""
    known = concept_counts["concept"].to_list()
    corpus = combining.corpus(concepts.with_columns(pl.col("concepts").list.set_intersection(known)))
    words = scoring.words_of(concepts["text"])
    frequencies, total = _set_frequencies(corpus, concept_counts)
    drawn = _Drawn(params.samples)
    for low, high in combining.parts(corpus):
        found = combining.sets(corpus, low, high)
        diversity = scoring.diversities(found, words)
        penalty = scoring.penalties(found, frequencies, total)
        score = found.counts * diversity * penalty
        arrivals = -np.log(scoring.chances(found, corpus, params.seed)) / score
        drawn.add(arrivals, found, (diversity, penalty, score), where=found.counts >= params.min_sentences)
    return drawn.table(corpus)


def _set_frequencies(corpus: combining.Corpus, concept_counts: pl.DataFrame) -> tuple[combining.Numbers, int]:
    """How many sets each concept is in, in the order of the corpus, and how many there are."""
    total = sum(int(concept_counts[f"sets_{size}"].sum()) // size for size in SIZES)
    summed = concept_counts.select("concept", pl.sum_horizontal(f"sets_{size}" for size in SIZES).alias("sets"))
    by_name = dict(summed.iter_rows())
    return np.array([by_name[name] for name in corpus.names], dtype=np.int64), total


class _Drawn:
    """The sets with the earliest arrivals so far.

    A set of score s arrives after -log(u) / s, u its chance: the first n to arrive are a draw of n without putting
    back (Efraimidis and Spirakis 2006), whatever the parts they come in.
    """

    def __init__(self, samples: int) -> None:
        self._samples = samples
        self._arrivals: scoring.Floats = np.empty(0)
        self._rows = np.empty((0, max(SIZES)), dtype=np.uint16)
        self._values = np.empty((0, 4))

    def add(
        self,
        arrivals: scoring.Floats,
        found: combining.Sets,
        values: tuple[scoring.Floats, ...],
        *,
        where: NDArray[np.bool_],
    ) -> None:
        """Let those sets of a part arrive that may."""
        self._arrivals = np.concatenate([self._arrivals, arrivals[where]])
        self._rows = np.concatenate([self._rows, found.ids[where]])
        self._values = np.concatenate([self._values, np.stack([found.counts, *values], axis=1)[where]])
        if len(self._arrivals) > self._samples:
            first = np.argpartition(self._arrivals, self._samples - 1)[: self._samples]
            self._arrivals, self._rows, self._values = self._arrivals[first], self._rows[first], self._values[first]

    def table(self, corpus: combining.Corpus) -> pl.DataFrame:
        """The sets that were drawn, by their names."""
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
