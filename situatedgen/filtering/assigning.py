"""The wrong candidates that an item is given, and which of them are replaced (Algorithm 1)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from situatedgen.filtering.pool import Pool, Rows
from situatedgen.seeds import generator, order


@dataclass(frozen=True)
class State:
    """Where a filtering stands: the wrong candidates of each item, and what models thought of every candidate.

    An opinion is by how much a candidate was preferred to the right one; no number where nobody was asked.
    """

    assignment: Rows
    opinions: NDArray[np.float32]


def first_assignment(pool: Pool, *, wrong: int, seed: int) -> Rows:
    """So many wrong candidates of each item, drawn by its id: a row an item, in ascending order."""
    drawn = [
        sorted(order(seed, f"assignment\x1f{item_id}", int(size))[:wrong])
        for item_id, size in zip(pool.item_ids, pool.sizes, strict=True)
    ]
    return np.asarray(drawn, dtype=np.int64).reshape(len(pool), wrong) + pool.truths[:, None] + 1


def questions(pool: Pool, assignment: Rows) -> Rows:
    """A row an item: its right candidate, and the wrong ones that it is given."""
    return np.concatenate([pool.truths[:, None], assignment], axis=1)


def parts(groups: Sequence[str], *, train_share: float, seed: int, purpose: str) -> tuple[Rows, Rows]:
    """The items to learn from and the items held out, given their groups; whole groups go to either side at random."""
    of_items = np.asarray(groups)
    names, sizes = np.unique(of_items, return_counts=True)
    shuffled = generator(seed, "parts", purpose).sample(range(len(names)), len(names))
    before = np.concatenate([[0], np.cumsum(sizes[shuffled])[:-1]])
    held = names[shuffled][before < round((1 - train_share) * len(of_items))]
    is_held = np.isin(of_items, held)
    return np.flatnonzero(~is_held), np.flatnonzero(is_held)


def dealt(groups: Sequence[str], *, count: int, seed: int, purpose: str) -> Rows:
    """The part of each item, of so many: whole groups at random, larger ones first, each to the part that holds least.

    Groups of about the same size come in a random order, so that another purpose gives other parts.
    """
    names, sizes = np.unique(np.asarray(groups), return_counts=True)
    drawn = generator(seed, "dealt", purpose).sample(range(len(names)), len(names))
    filled, part = [0] * count, {}
    for place in sorted(drawn, key=lambda place: -int(sizes[place]).bit_length()):
        part[names[place]] = least = filled.index(min(filled))
        filled[least] += int(sizes[place])
    return np.asarray([part[group] for group in groups], dtype=np.int64)


def replaced(assigned: Rows, scores: NDArray[np.float32], *, most: int) -> Rows:
    """An item's wrong candidates after the easiest gave way to those that the model prefers to the right one.

    Numbers count the item's own candidates, of which 0 is the right one; `scores` has one for each. Easy is what
    scores below the right one, easiest what does so by most. Of the preferred, the most preferred come first.

    Example:
        >>> replaced(np.array([1, 2, 3]), np.array([5, 1, 9, 2, 7, 6, 0], dtype=np.float32), most=2)
        array([2, 4, 5])
    """
    easy = assigned[scores[assigned] < scores[0]]
    others = np.setdiff1d(np.arange(1, len(scores)), assigned)
    preferred = others[scores[others] > scores[0]]
    out = easy[np.argsort(scores[easy], kind="stable")]
    new = preferred[np.argsort(-scores[preferred], kind="stable")]
    count = min(most, len(out), len(new))
    return np.sort(np.concatenate([np.setdiff1d(assigned, out[:count]), new[:count]]))


def remembered(
    before: NDArray[np.float32], scores: NDArray[np.float32], truths: Rows, *, memory: float
) -> NDArray[np.float32]:
    """Opinions of candidates after a model gave them scores, of which some share is what was thought before.

    `truths` is for each candidate the place of the right one of its item. Scores are measured by their deviation.

    Example:
        >>> before = np.array([0, 3, np.nan], dtype=np.float32)
        >>> remembered(before, np.array([1, 2, 3], dtype=np.float32), np.zeros(3, dtype=np.int64), memory=0.5).round(2)
        array([0.  , 2.11, 2.45], dtype=float32)
    """
    now = (scores - scores[truths]) / max(float(scores.std()), 1e-6)
    return np.where(np.isnan(before), now, memory * before + (1 - memory) * now).astype(np.float32)


def accuracy(scores: NDArray[np.float32]) -> float:
    """The share of questions whose right candidate, in the first column, scores highest; ties count their part.

    Example:
        >>> accuracy(np.array([[2, 1], [1, 1]], dtype=np.float32))
        0.75
    """
    return float(is_right(scores).mean()) if len(scores) else 0.0


def is_right(scores: NDArray[np.float32]) -> NDArray[np.float64]:
    """For each question 1 where its right candidate, in the first column, scores highest; where it ties, its part."""
    best = scores == scores.max(axis=1, keepdims=True)
    return np.asarray(best[:, 0] / best.sum(axis=1), dtype=np.float64)
