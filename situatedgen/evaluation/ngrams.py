"""BLEU-4 and CIDEr, identical to pycocoevalcap's, and ROUGE-2, identical to rouge-score's."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain, pairwise

import numpy as np
from nltk.stem.porter import PorterStemmer

from situatedgen.resampling import Numbers, Statistics, mean

LONGEST = 4
SIGMA = 6.0
# pycocoevalcap's guards against division by zero.
SMALL, TINY = 1e-9, 1e-15
POINTS = 100.0

Grams = Counter[tuple[str, ...]]
NOT_WORDS = re.compile(r"[^a-z0-9]+")


def bleu(predictions: Sequence[str], references: Sequence[str]) -> Statistics:
    """BLEU-4 of captions against one reference each."""
    pairs = zip(predictions, references, strict=True)
    words = ((prediction.split(), reference.split()) for prediction, reference in pairs)
    rows = [bleu_row(prediction, grams(reference), len(reference)) for prediction, reference in words]
    return Statistics(np.array(rows, dtype=np.float64), pooled_bleu)


def cider(predictions: Sequence[str], references: Sequence[str]) -> Statistics:
    """CIDEr (CIDEr-D) of captions against one reference each; document frequencies come from these references.

    The score is out of 100, as in the paper's table; pycocoevalcap's is out of 10.
    """
    cooked = [grams(reference.split()) for reference in references]
    spread = Counter(chain.from_iterable(cooked))
    rarity = {gram: float(np.log(count)) for gram, count in spread.items()}
    logged = float(np.log(len(cooked)))
    scores = [
        cider_pair(grams(prediction.split()), reference, rarity, logged)
        for prediction, reference in zip(predictions, cooked, strict=True)
    ]
    return mean(scores, scale=POINTS)


def rouge_2(predictions: Sequence[str], references: Sequence[str], *, stemmed: bool) -> Statistics:
    """ROUGE-2 (F-measure) of texts against one reference each, tokenised as rouge-score does."""
    pairs = zip(predictions, references, strict=True)
    return mean([rouge_pair(left, right, stemmed=stemmed) for left, right in pairs], scale=POINTS)


def grams(words: Sequence[str]) -> Grams:
    """Count the n-grams of a list of words, for n from 1 to 4."""
    return Counter(chain.from_iterable(zip(*(words[at:] for at in range(size)), strict=False) for size in _sizes()))


def _sizes() -> Iterator[int]:
    return iter(range(1, LONGEST + 1))


def bleu_row(prediction: list[str], known: Grams, length: int) -> list[int]:
    """Numbers of matching and of predicted n-grams for each n, and the lengths of prediction and reference."""
    shared = grams(prediction) & known
    right = Counter[int]()
    for gram, count in shared.items():
        right[len(gram)] += count
    guessed = [max(0, len(prediction) - size + 1) for size in _sizes()]
    return [*(right[size] for size in _sizes()), *guessed, len(prediction), length]


def pooled_bleu(sums: Numbers, longest: int = LONGEST) -> Numbers:
    """BLEU from summed rows, with n-grams up to the given length."""
    right, guessed = sums[:, :longest], sums[:, LONGEST : LONGEST + longest]
    precision = ((right + TINY) / (guessed + SMALL)).prod(axis=1) ** (1 / longest)
    ratio = (sums[:, -2] + TINY) / (sums[:, -1] + SMALL)
    brevity = np.exp(np.minimum(0.0, 1 - 1 / ratio))
    points: Numbers = POINTS * precision * brevity
    return points


def cider_pair(prediction: Grams, reference: Grams, rarity: dict[tuple[str, ...], float], logged: float) -> float:
    """Similarity of two captions by their TF-IDF-weighted n-grams, with CIDEr-D's length penalty."""
    left, right = _weights(prediction, rarity, logged), _weights(reference, rarity, logged)
    dot, left_norm, right_norm = [0.0] * LONGEST, [0.0] * LONGEST, [0.0] * LONGEST
    for gram, weight in left.items():
        left_norm[len(gram) - 1] += weight * weight
        if other := right.get(gram):
            dot[len(gram) - 1] += min(weight, other) * other
    for gram, weight in right.items():
        right_norm[len(gram) - 1] += weight * weight
    gap = _length(prediction) - _length(reference)
    likeness = sum(
        value / np.sqrt(one * two) if one and two else value
        for value, one, two in zip(dot, left_norm, right_norm, strict=True)
    )
    return float(likeness / LONGEST * np.exp(-(gap**2) / (2 * SIGMA**2)))


def _weights(grams: Grams, rarity: dict[tuple[str, ...], float], logged: float) -> dict[tuple[str, ...], float]:
    return {gram: count * (logged - rarity.get(gram, 0.0)) for gram, count in grams.items()}


def _length(grams: Grams) -> int:
    """Number of bigrams, which is the length that CIDEr's length penalty compares."""
    return sum(count for gram, count in grams.items() if len(gram) == 2)


def _bigrams(text: str, stemmed: bool) -> Counter[tuple[str, str]]:
    words = NOT_WORDS.sub(" ", text.lower()).split()
    if stemmed:
        words = [word for word in map(_stem, words) if word and not NOT_WORDS.search(word)]
    return Counter(pairwise(words))


@cache
def _stemmer() -> PorterStemmer:
    return PorterStemmer()


@cache
def _stem(word: str) -> str:
    return str(_stemmer().stem(word)) if len(word) > 3 else word


def rouge_pair(text: str, other: str, *, stemmed: bool = False) -> float:
    """F-measure of the bigrams that a text shares with its reference."""
    prediction, reference = _bigrams(text, stemmed), _bigrams(other, stemmed)
    shared = (prediction & reference).total()
    precision, recall = shared / max(prediction.total(), 1), shared / max(reference.total(), 1)
    return 2 * precision * recall / (precision + recall) if shared else 0.0
