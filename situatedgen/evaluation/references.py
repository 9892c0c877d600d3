"""N-gram metrics against several references: BLEU, ROUGE-L and CIDEr as pycocoevalcap's, ROUGE-2 as rouge-score's."""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np

from situatedgen.evaluation import ngrams
from situatedgen.resampling import Statistics, mean

BETA = 1.2
"""How much more ROUGE-L weighs recall than precision."""

References = Sequence[Sequence[str]]


def bleu(predictions: Sequence[str], references: References, *, longest: int) -> Statistics:
    """BLEU of captions with n-grams up to a length; the reference nearest in length tells brevity."""
    rows = [
        _bleu_row(prediction.split(), [each.split() for each in known])
        for prediction, known in zip(predictions, references, strict=True)
    ]
    return Statistics(np.array(rows, dtype=np.float64), partial(ngrams.pooled_bleu, longest=longest))


def _bleu_row(prediction: list[str], references: list[list[str]]) -> list[int]:
    known = Counter[tuple[str, ...]]()
    for reference in references:
        known |= ngrams.grams(reference)
    nearest = min((len(reference) for reference in references), key=lambda size: (abs(size - len(prediction)), size))
    return ngrams.bleu_row(prediction, known, nearest)


def rouge_l(predictions: Sequence[str], references: References) -> Statistics:
    """ROUGE-L of captions: the longest common subsequence, by the best precision and the best recall."""
    pairs = zip(predictions, references, strict=True)
    return mean([_rouge_l(text.split(" "), [each.split(" ") for each in known]) for text, known in pairs], scale=100)


def _rouge_l(prediction: list[str], references: list[list[str]]) -> float:
    common = [(_common(prediction, reference), len(reference)) for reference in references]
    precision = max(shared / len(prediction) for shared, _ in common)
    recall = max(shared / length for shared, length in common)
    if not precision or not recall:
        return 0.0
    return (1 + BETA**2) * precision * recall / (recall + BETA**2 * precision)


def _common(left: Sequence[str], right: Sequence[str]) -> int:
    """The length of the longest common subsequence."""
    row = [0] * (len(right) + 1)
    for word in left:
        before = 0
        for place, other in enumerate(right, start=1):
            before, row[place] = row[place], before + 1 if word == other else max(row[place], row[place - 1])
    return row[-1]


def rouge_2(predictions: Sequence[str], references: References) -> Statistics:
    """ROUGE-2 (F-measure) of texts against the reference that fits best."""
    pairs = zip(predictions, references, strict=True)
    return mean([max(ngrams.rouge_pair(text, each) for each in known) for text, known in pairs], scale=100)


def cider(predictions: Sequence[str], references: References) -> Statistics:
    """CIDEr (CIDEr-D) of captions, out of 100; how rare words are is told by these references."""
    cooked = [[ngrams.grams(each.split()) for each in known] for known in references]
    spread = Counter(gram for known in cooked for gram in _all(known))
    rarity = {gram: float(np.log(count)) for gram, count in spread.items()}
    logged = float(np.log(len(cooked)))
    scores = [
        np.mean([ngrams.cider_pair(ngrams.grams(text.split()), each, rarity, logged) for each in known])
        for text, known in zip(predictions, cooked, strict=True)
    ]
    return mean(scores, scale=100)


def _all(known: Iterable[ngrams.Grams]) -> set[tuple[str, ...]]:
    return {gram for grams in known for gram in grams}
