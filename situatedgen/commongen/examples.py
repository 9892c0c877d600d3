"""Concept sets and their sentences in CommonGen's release format, and the statistics of its Table 1."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from situatedgen.errors import RecordError, SourceError
from situatedgen.leakage.certificate import SIZES, Novelty, combinations, novelty, word_sets
from situatedgen.models.lemmas import Lemmatiser
from situatedgen.vocabulary import Split

PLACES = ("commongen.{}.jsonl", "{}.jsonl", "data/{}.jsonl")
CAPTION = "n/a"
"""Reason given for a sentence that is a caption, i.e. was not written for the concept set."""


@dataclass(frozen=True, slots=True)
class Example:
    """A concept set: concepts with part of speech (`dog_N`, `run_V`), and sentences that use all of them."""

    concepts: tuple[str, ...]
    scenes: tuple[str, ...]
    reasons: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """The concepts without part of speech."""
        return tuple(map(word_of, self.concepts))

    @property
    def written(self) -> tuple[str, ...]:
        """The sentences that people wrote for the concept set, i.e. those with a reason of their own."""
        given = zip(self.scenes, self.reasons, strict=False)
        return tuple(scene for scene, reason in given if reason != CAPTION)


def word_of(concept: str) -> str:
    """A concept without its part of speech.

    Example:
        >>> word_of("stand_V")
        'stand'
    """
    return concept.rpartition("_")[0] or concept


def read_folder(folder: Path) -> dict[str, tuple[Example, ...]]:
    """The examples of each split of a folder.

    Raises:
        SourceError: a split is missing, or one of its records is malformed.
    """
    return {split.value: tuple(read_file(_find_file(folder, split.value))) for split in Split}


def read_file(path: Path) -> Iterator[Example]:
    """The examples of a JSON Lines file.

    Raises:
        RecordError: a line is not a concept set with its sentences.
    """
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                record = json.loads(line)
                concepts = tuple(record["concept_set"].split("#"))
                yield Example(concepts, tuple(record["scene"]), tuple(record.get("reason", ())))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                expected = 'expected {"concept_set": "dog_N#run_V#…", "scene": [sentences]}'
                raise RecordError(f"{path}, line {number}: {expected}, found {line.strip()[:80]!r}") from error


def _find_file(folder: Path, split: str) -> Path:
    for place in PLACES:
        if (folder / place.format(split)).is_file():
            return folder / place.format(split)
    looked = ", ".join(place.format(split) for place in PLACES)
    raise SourceError(f"expected the {split} split in {folder}, found none of: {looked}")


Examples = Sequence[Example]


@dataclass(frozen=True, slots=True)
class SplitStatistics:
    """A column of Table 1.

    Something is new to the sets if no concept set of train contains it, and new to the sentences if the sentences of no
    train example contain it; words match by surface form or lemma, whatever their part of speech.
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
    """The statistics of each split; novelty against train's sentences requires a lemmatiser."""
    train = splits[Split.TRAIN.value]
    seen = _words_of(train, lemmatiser) if lemmatiser else []
    return {
        name: _measure_split(examples, train=() if name == Split.TRAIN.value else train, seen=seen)
        for name, examples in splits.items()
    }


def average_length(sentences: Sequence[str]) -> float:
    """Average number of whitespace-separated words."""
    return sum(len(sentence.split()) for sentence in sentences) / len(sentences) if sentences else 0.0


def _measure_split(examples: Examples, *, train: Examples, seen: Sequence[Set[str]]) -> SplitStatistics:
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
    """Count the words, pairs and triples of `sets` that never occur together in one of `seen`.

    Seen sets may be large, such as all words of a text, so only words that occur in `sets` are combined.
    """
    asked = frozenset[str]().union(*sets)
    both = word_sets(_lists([*sets, *(asked & each for each in seen)]))
    here = np.arange(len(sets) + len(seen)) < len(sets)
    return tuple(novelty(combinations(both, size), here, ~here) for size in SIZES)


def _lists(sets: Sequence[Set[str]]) -> pl.Series:
    return pl.Series([sorted(each) for each in sets], dtype=pl.List(pl.String))


def _words_of(examples: Iterable[Example], lemmatiser: Lemmatiser) -> list[frozenset[str]]:
    """All words and lemmas of each example's sentences."""
    lemmatiser.learn(scene for example in examples for scene in example.scenes)
    read = ([lemmatiser[scene] for scene in example.scenes] for example in examples)
    return [frozenset(word for scene in scenes for word in (*scene.words, *scene.lemmas)) for scenes in read]
