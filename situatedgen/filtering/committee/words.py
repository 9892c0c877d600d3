"""Words and part-of-speech tags of candidates, each distinct text analysed once."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from situatedgen.filtering.pool import Pool

PAD, UNKNOWN, START, BETWEEN, END = range(5)
SPECIAL = 5


@dataclass(frozen=True, slots=True)
class Analysis:
    """The words of a text in small letters, and their tags."""

    words: tuple[str, ...]
    tags: tuple[str, ...]


def analyses(texts: Iterable[str]) -> dict[str, Analysis]:
    """The analysis of each distinct text, by the small spaCy model."""
    # Loads spaCy.
    from situatedgen.models.spacy_models import parse  # noqa: PLC0415

    distinct = sorted(set(texts))
    docs = parse(distinct, disable=("parser", "ner", "attribute_ruler"))
    return {
        text: Analysis(tuple(token.lower_ for token in doc), tuple(token.tag_ for token in doc))
        for text, doc in zip(distinct, docs, strict=True)
    }


@dataclass(frozen=True)
class Sequences:
    """Numbers of words, a row a candidate: the first text, a mark, the second; zeros after the end.

    `border` is where the second text begins, `lengths` where it ends.
    """

    ids: NDArray[np.int64]
    border: NDArray[np.int64]
    lengths: NDArray[np.int64]
    vocabulary: int


def commonest(texts: Iterable[Sequence[str]], size: int) -> dict[str, int]:
    """The number of each of the commonest words; words as common as each other by the alphabet."""
    counts = Counter(word for words in texts for word in words)
    ranked = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))[:size]
    return {word: number for number, (word, _) in enumerate(ranked, SPECIAL)}


def sequences(firsts: Sequence[Sequence[int]], seconds: Sequence[Sequence[int]], vocabulary: int) -> Sequences:
    """Numbers of words as one array."""
    whole = [[START, *first, BETWEEN, *second, END] for first, second in zip(firsts, seconds, strict=True)]
    lengths = np.asarray([len(one) for one in whole], dtype=np.int64)
    ids = np.zeros((len(whole), int(lengths.max(initial=1))), dtype=np.int64)
    for row, one in enumerate(whole):
        ids[row, : len(one)] = one
    border = np.asarray([len(first) + 2 for first in firsts], dtype=np.int64)
    return Sequences(ids, border, lengths, vocabulary)


def word_sequences(pool: Pool, found: dict[str, Analysis], *, size: int, longest: int, both: bool) -> Sequences:
    """Candidates as the numbers of their words, of which the commonest are known.

    They are counted in right and wrong candidates alike: else an unknown word would give a wrong one away.
    """
    known = commonest(_texts(pool, found), size)
    return _sequences(
        pool, {text: _ids(one.words, known) for text, one in found.items()}, SPECIAL + size, longest, both
    )


def tag_sequences(pool: Pool, found: dict[str, Analysis], *, common: int, longest: int, both: bool) -> Sequences:
    """Candidates as the numbers of their commonest words, and of the tags of all others."""
    words = commonest(_texts(pool, found), common)
    named = sorted({tag for one in found.values() for tag in one.tags})
    tags = {tag: number for number, tag in enumerate(named, SPECIAL + len(words))}
    told = {
        text: [words.get(word, tags[tag]) for word, tag in zip(one.words, one.tags, strict=True)]
        for text, one in found.items()
    }
    return _sequences(pool, told, SPECIAL + len(words) + len(tags), longest, both)


def _texts(pool: Pool, found: dict[str, Analysis]) -> Iterator[Sequence[str]]:
    return (found[text].words for text in chain(pool.first, pool.second))


def _ids(words: Sequence[str], known: dict[str, int]) -> list[int]:
    return [known.get(word, UNKNOWN) for word in words]


def _sequences(pool: Pool, ids: dict[str, list[int]], vocabulary: int, longest: int, both: bool) -> Sequences:
    firsts = [ids[text][: longest // 2] if both else [] for text in pool.first]
    return sequences(firsts, [ids[text][: longest // 2] for text in pool.second], vocabulary)
