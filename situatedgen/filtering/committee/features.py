"""What the MLP of the committee sees: perplexities both ways, the last word's probability, lengths (appendix A.3)."""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from situatedgen.filtering.assigning import dealt
from situatedgen.filtering.committee.language import trained
from situatedgen.filtering.committee.params import LanguageParams
from situatedgen.filtering.committee.words import Sequences
from situatedgen.filtering.pool import Pool, Rows
from situatedgen.seeds import generator

FEATURES = (
    "first, forward",
    "second after first, forward",
    "first after second, backward",
    "second, backward",
    "last word",
    "words of first",
    "words of second",
)


def features(pool: Pool, texts: Sequences, params: LanguageParams, *, device: torch.device) -> NDArray[np.float32]:
    """A row a candidate, scored by a language model that never saw the right candidates of its fold."""
    fold = dealt(pool.groups, count=params.folds, seed=params.seed, purpose="folds")
    found = np.zeros((len(pool.first), len(FEATURES)), dtype=np.float32)
    for number in range(params.folds):
        items = np.flatnonzero(fold == number)
        if len(items) in (0, len(pool)):
            continue
        seed = generator(params.seed, "language", str(number)).getrandbits(31)
        model = trained(texts, pool.truths[fold != number], params, seed=seed, device=device)
        rows = np.concatenate([pool.of(item) for item in items.tolist()])
        found[rows] = measured([model.costs(texts, rows, direction) for direction in range(2)], texts, rows)
    return found


def measured(costs: Sequence[NDArray[np.float32]], texts: Sequences, rows: Rows) -> NDArray[np.float32]:
    """The features of texts whose words cost so much, forward and backward; perplexities as their logarithms.

    Forward, column c is what word c + 1 costs; backward the words come in the opposite order.
    """
    forward, backward = costs
    border, lengths = texts.border[rows], texts.lengths[rows]
    after = lengths - border
    return np.stack(
        [
            _mean(forward, np.zeros_like(border), border - 1),
            _mean(forward, border - 1, lengths - 1),
            _mean(backward, after, lengths - 1),
            _mean(backward, np.zeros_like(border), after),
            -forward[np.arange(len(rows)), np.maximum(lengths - 3, 0)],
            (border - 2).astype(np.float32),
            (after - 1).astype(np.float32),
        ],
        axis=1,
    ).astype(np.float32)


def _mean(costs: NDArray[np.float32], starts: Rows, ends: Rows) -> NDArray[np.float32]:
    """The mean cost of the columns from start to end of each row."""
    places = np.arange(costs.shape[1])[None, :]
    inside = (places >= starts[:, None]) & (places < ends[:, None])
    return np.asarray((costs * inside).sum(axis=1) / np.maximum(inside.sum(axis=1), 1), dtype=np.float32)
