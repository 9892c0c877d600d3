"""N-gram metrics with several references: BLEU, ROUGE-L, CIDEr as in pycocoevalcap, ROUGE-2 as in rouge-score."""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np

from situatedgen.evaluation import ngrams
from situatedgen.resampling import Statistics, mean

BETA = 1.2
"""Weight of recall relative to precision in ROUGE-L."""

References = Sequence[Sequence[str]]


def bleu(predictions: Sequence[str], references: References, *, longest: int) -> Statistics:
    """BLEU of captions with n-grams up to a length; the brevity penalty uses the reference closest in length."""
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
    """ROUGE-L of captions (longest common subsequence), from the best precision and the best recall."""
    pairs = zip(predictions, references, strict=True)
    return mean([_rouge_l(text.split(" "), [each.split(" ") for each in known]) for text, known in pairs], scale=100)


def _rouge_l(prediction: list[str], references: list[list[str]]) -> float:
    common = [(_common_length(prediction, reference), len(reference)) for reference in references]
    precision = max(shared / len(prediction) for shared, _ in common)
    recall = max(shared / length for shared, length in common)
    if not precision or not recall:
        return 0.0
    return (1 + BETA**2) * precision * recall / (recall + BETA**2 * precision)


def _common_length(left: Sequence[str], right: Sequence[str]) -> int:
    """Length of the longest common subsequence."""
    row = [0] * (len(right) + 1)
    for word in left:
        before = 0
        for place, other in enumerate(right, start=1):
            before, row[place] = row[place], before + 1 if word == other else max(row[place], row[place - 1])
    return row[-1]


def rouge_2(predictions: Sequence[str], references: References) -> Statistics:
    """ROUGE-2 (F-measure) of texts against their best-matching reference."""
    pairs = zip(predictions, references, strict=True)
    return mean([max(ngrams.rouge_pair(text, each) for each in known) for text, known in pairs], scale=100)


def cider(predictions: Sequence[str], references: References) -> Statistics:
    """CIDEr (CIDEr-D) of captions, out of 100; document frequencies come from these references."""
    cooked = [[ngrams.grams(each.split()) for each in known] for known in references]
    spread = Counter(gram for known in cooked for gram in _distinct_grams(known))
    rarity = {gram: float(np.log(count)) for gram, count in spread.items()}
    logged = float(np.log(len(cooked)))
    scores = [
        np.mean([ngrams.cider_pair(ngrams.grams(text.split()), each, rarity, logged) for each in known])
        for text, known in zip(predictions, cooked, strict=True)
    ]
    return mean(scores, scale=100)


def _distinct_grams(known: Iterable[ngrams.Grams]) -> set[tuple[str, ...]]:
    return {gram for grams in known for gram in grams}
