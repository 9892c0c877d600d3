"""What a good dealing of communities is, as one number: the lower, the better.

The sum of, each with its weight:

- size: half of what the shares of train, dev and test are off;
- source, context: how far the mix of sources (of context types) of a split is from that of all pairs, as total
  variation, on average over the splits;
- leakage: slots of dev and test (two a pair) with near neighbours in train, of all slots that dev and test are to have;
  of a slot with near neighbours in several communities counts the part of these that is train's;
- cuts: the share of all pairs that lie between communities of different splits;
- taste: what the seed would rather not, by a community's first statement alone: it makes variants, and where little
  else speaks for a split, a change elsewhere does not move a community.

Beyond these, a split may not exceed its room, dev and test are to fill most of theirs, and none that has room may stay
empty.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
Amounts = NDArray[np.float64]
SPLITS = 3
TRAIN, DEV, TEST = range(SPLITS)
EVERY: Numbers = np.arange(SPLITS)
OVER = 1_000.0
LEAST, SHORT = 0.7, 50.0
"""Dev and test are to have this part of their room; what is missing, as a share of all pairs, costs so much."""
EMPTY = np.array([300.0, 100.0, 200.0])
"""What it costs to leave train, dev or test without pairs: where only one of the latter can have any, it is test."""
TASTE = 0.2
# What a link from a community of one split to one of another costs: near neighbours count where the second is train.
NEAR_COST = np.array([[0.0, 0, 0], [1, 0, 0], [1, 0, 0]])
CUT_COST = 1 - np.eye(SPLITS)


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each part of the objective counts."""

    size: float
    source: float
    context: float
    leakage: float
    cuts: float


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """Links between communities, from one to another, each so heavy."""

    start: Numbers
    end: Numbers
    weight: Amounts

    def felt(self, splits: Numbers, cost: Amounts) -> Amounts:
        """What the links of each community would cost in each split, were the others to stay: split × community."""
        count = len(splits)
        out, into = np.zeros((SPLITS, count)), np.zeros((SPLITS, count))
        for split in range(SPLITS):
            out[split] = np.bincount(self.start, self.weight * (splits[self.end] == split), count)
            into[split] = np.bincount(self.end, self.weight * (splits[self.start] == split), count)
        found: Amounts = cost @ out + cost.T @ into
        return found

    def total(self, splits: Numbers, cost: Amounts) -> float:
        """What all links cost."""
        return float((self.weight * cost[splits[self.start], splits[self.end]]).sum())

    def among(self, chosen: Numbers, count: int) -> Amounts:
        """How heavily some communities are linked with one another, either way."""
        places = np.full(count, -1)
        places[chosen] = np.arange(len(chosen))
        start, end = places[self.start], places[self.end]
        inside = (start >= 0) & (end >= 0)
        found = np.zeros((len(chosen), len(chosen)))
        np.add.at(found, (start[inside], end[inside]), self.weight[inside])
        return found + found.T


@dataclass(frozen=True, eq=False)
class Hand:
    """What is to be dealt: communities with what they hold, the links between them, and what lies there already.

    A row of `holdings`, and of `placed` for each split, has the pairs, then the slots by source, then the pairs by
    context; `sources` is how many sources there are. The last three communities stand for what is placed.
    """

    holdings: Amounts
    placed: Amounts
    sources: int
    rooms: Amounts
    targets: Amounts
    near: Links
    crossing: Links
    tastes: Amounts
    weights: Weights

    @cached_property
    def total(self) -> Amounts:
        """What all communities and all that is placed hold together."""
        found: Amounts = self.holdings.sum(axis=0) + self.placed.sum(axis=0)
        return found

    def held(self, splits: Numbers) -> Amounts:
        """What each split holds."""
        dealt: Amounts = np.stack([self.holdings[splits == split].sum(axis=0) for split in range(SPLITS)])
        return self.placed + dealt

    def cost(self, split: int | Numbers, held: Amounts) -> Amounts:
        """What it costs that a split holds this, for any number of holdings, and of splits, at once."""
        pairs, rooms, total, weights = held[..., 0], self.rooms[split], self.total, self.weights
        off = np.abs(pairs / max(total[0], 1) - self.targets[split]) / 2
        beyond = np.maximum(pairs - np.maximum(rooms, self.placed[split, 0]), 0)
        sources = _distance(held[..., 1 : 1 + self.sources], total[1 : 1 + self.sources])
        contexts = _distance(held[..., 1 + self.sources :], total[1 + self.sources :])
        mixes = weights.source * sources + weights.context * contexts
        short = np.maximum(LEAST * rooms * (split != TRAIN) - pairs, 0) / max(total[0], 1)
        empty = (pairs <= 0) & (rooms > 0)
        found: Amounts = weights.size * off + mixes / SPLITS + OVER * beyond + SHORT * short + EMPTY[split] * empty
        return found

    def felt(self, splits: Numbers) -> Amounts:
        """What each community costs beyond what it holds, in each split: its links and the seed's taste."""
        near = self.weights.leakage * self.near.felt(self._all(splits), NEAR_COST)
        cuts = self.weights.cuts * self.crossing.felt(self._all(splits), CUT_COST)
        return (near + cuts)[:, : len(splits)] + self.tastes.T

    def value(self, splits: Numbers) -> float:
        """The objective."""
        parts = sum(self.cost(EVERY, self.held(splits)).tolist())
        near = self.weights.leakage * self.near.total(self._all(splits), NEAR_COST)
        cuts = self.weights.cuts * self.crossing.total(self._all(splits), CUT_COST)
        return float(parts) + near + cuts + float(self.tastes[np.arange(len(splits)), splits].sum())

    def linked(self, chosen: Numbers) -> Amounts:
        """How links of some communities with one another weigh in a swap with train, and in one of dev and test."""
        count = len(self.holdings) + SPLITS
        near = self.weights.leakage * self.near.among(chosen, count)
        cuts = self.weights.cuts * self.crossing.among(chosen, count)
        return np.stack([near + 2 * cuts, 2 * cuts])

    def _all(self, splits: Numbers) -> Numbers:
        return np.concatenate([splits, np.arange(SPLITS)])


def _distance(mix: Amounts, every: Amounts) -> Amounts:
    """How far a mix of kinds is from that of all, from 0 to 1."""
    whole = np.maximum(mix.sum(axis=-1, keepdims=True), 1)
    found: Amounts = np.abs(mix / whole - every / max(float(every.sum()), 1)).sum(axis=-1) / 2
    return found
