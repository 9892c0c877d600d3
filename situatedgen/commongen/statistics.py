"""Table 1 of CommonGen: how many concept sets, sentences and concepts, and how much of a split is new to train."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np
import polars as pl

from situatedgen.commongen.reading import Example
from situatedgen.evaluation.lemmas import Lemmatiser
from situatedgen.leakage.certificate import SIZES, Novelty, combinations, novelty, word_sets
from situatedgen.vocabulary import Split

Examples = Sequence[Example]


@dataclass(frozen=True, slots=True)
class SplitStatistics:
    """A column of Table 1.

    Something is new to the sets when no concept set of train has it, and new to the sentences when the sentences of
    no example of train have it: each word as it stands or as its lemma, whatever its part of speech.
    """

    sets: int
    by_size: Mapping[int, int]
    sentences: int
    average_length: float
    written_length: float | None
    combinations: Mapping[int, int]
    new_to_sets: tuple[Novelty, ...] = ()
    new_to_sentences: tuple[Novelty, ...] = ()


def statistics(splits: Mapping[str, Examples], *, lemmatiser: Lemmatiser | None = None) -> dict[str, SplitStatistics]:
    """The statistics of each split; what is new to the sentences of train needs a lemmatiser."""
    train = splits[Split.TRAIN.value]
    seen = _words_of(train, lemmatiser) if lemmatiser else []
    return {
        name: _measured(examples, train=() if name == Split.TRAIN.value else train, seen=seen)
        for name, examples in splits.items()
    }


def average_length(sentences: Sequence[str]) -> float:
    """The average number of words between white space."""
    return sum(len(sentence.split()) for sentence in sentences) / len(sentences) if sentences else 0.0


def _measured(examples: Examples, *, train: Examples, seen: Sequence[Set[str]]) -> SplitStatistics:
    scenes = [scene for example in examples for scene in example.scenes]
    written = [scene for example in examples for scene in example.written]
    concepts = [frozenset(example.concepts) for example in examples]
    words = [frozenset(example.words) for example in examples]
    own = word_sets(_lists(concepts))
    return SplitStatistics(
        sets=len(examples),
        by_size=dict(sorted(Counter(len(example.concepts) for example in examples).items())),
        sentences=len(scenes),
        average_length=average_length(scenes),
        written_length=average_length(written) if written else None,
        combinations={size: combinations(own, size).distinct for size in SIZES},
        new_to_sets=novelties(concepts, [frozenset(example.concepts) for example in train]) if train else (),
        new_to_sentences=novelties(words, seen) if train and seen else (),
    )


def novelties(sets: Sequence[Set[str]], seen: Sequence[Set[str]]) -> tuple[Novelty, ...]:
    """How many words, pairs and triples of `sets` never stand together within one of `seen`.

    A set that was seen may be large, such as all words of a text: only the words that are asked about are combined.
    """
    asked = frozenset[str]().union(*sets)
    both = word_sets(_lists([*sets, *(asked & each for each in seen)]))
    here = np.arange(len(sets) + len(seen)) < len(sets)
    return tuple(novelty(combinations(both, size), here, ~here) for size in SIZES)


def _lists(sets: Sequence[Set[str]]) -> pl.Series:
    return pl.Series([sorted(each) for each in sets], dtype=pl.List(pl.String))


def _words_of(examples: Iterable[Example], lemmatiser: Lemmatiser) -> list[frozenset[str]]:
    """The words of the sentences of each example and their lemmas, put together."""
    lemmatiser.learn(scene for example in examples for scene in example.scenes)
    read = ([lemmatiser[scene] for scene in example.scenes] for example in examples)
    return [frozenset(word for scene in scenes for word in (*scene.words, *scene.lemmas)) for scenes in read]
