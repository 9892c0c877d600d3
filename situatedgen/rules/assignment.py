"""Assigns communities to splits: an objective function, random packings, and a local search that improves them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import accumulate, pairwise
from math import floor

import numpy as np
from numpy.typing import NDArray

from situatedgen.seeds import generator
from situatedgen.vocabulary import Split

Numbers = NDArray[np.int64]
Amounts = NDArray[np.float64]
SPLIT_COUNT = 3
TRAIN, DEV, TEST = range(SPLIT_COUNT)
EVERY: Numbers = np.arange(SPLIT_COUNT)
OVER = 1_000.0
LEAST, SHORT = 0.7, 50.0
"""Dev and test should reach this share of their capacity; the shortfall, as a share of all pairs, costs this much."""
EMPTY = np.array([300.0, 100.0, 200.0])
"""Cost of leaving train, dev or test without pairs; if only one of dev and test can have any, test gets them."""
TASTE = 0.2
# Cost of a link by the splits of its ends (from, to): near neighbours count if the second is train.
NEAR_COST = np.array([[0.0, 0, 0], [1, 0, 0], [1, 0, 0]])
CUT_COST = 1 - np.eye(SPLIT_COUNT)


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each part of the objective; `mixes` has a weight for each property that is balanced."""

    size: float
    mixes: tuple[float, ...]
    leakage: float
    cuts: float


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """Weighted, directed links between communities."""

    start: Numbers
    end: Numbers
    weight: Amounts

    def felt(self, splits: Numbers, cost: Amounts) -> Amounts:
        """The cost of each community's links if it were in each split and the others stayed: split × community."""
        count = len(splits)
        out, into = np.zeros((SPLIT_COUNT, count)), np.zeros((SPLIT_COUNT, count))
        for split in range(SPLIT_COUNT):
            out[split] = np.bincount(self.start, self.weight * (splits[self.end] == split), count)
            into[split] = np.bincount(self.end, self.weight * (splits[self.start] == split), count)
        found: Amounts = cost @ out + cost.T @ into
        return found

    def total(self, splits: Numbers, cost: Amounts) -> float:
        """The total cost of all links."""
        return float((self.weight * cost[splits[self.start], splits[self.end]]).sum())

    def among(self, chosen: Numbers, count: int) -> Amounts:
        """The symmetric matrix of link weights between some communities."""
        places = np.full(count, -1)
        places[chosen] = np.arange(len(chosen))
        start, end = places[self.start], places[self.end]
        inside = (start >= 0) & (end >= 0)
        found = np.zeros((len(chosen), len(chosen)))
        np.add.at(found, (start[inside], end[inside]), self.weight[inside])
        return found + found.T


@dataclass(frozen=True, eq=False)
class Assignment:
    """The assignment problem: what the communities hold, the links between them, and what is already placed.

    A row of `holdings`, and of `placed` for each split, has the pairs, then counts by the values of each property that
    is balanced, such as the pairs of each context; `widths` are the numbers of these values. In the links, the last
    three communities stand for what is already placed.
    """

    holdings: Amounts
    placed: Amounts
    widths: tuple[int, ...]
    rooms: Amounts
    targets: Amounts
    near: Links
    crossing: Links
    tastes: Amounts
    weights: Weights

    @cached_property
    def total(self) -> Amounts:
        """What all communities and everything already placed hold together."""
        found: Amounts = self.holdings.sum(axis=0) + self.placed.sum(axis=0)
        return found

    @cached_property
    def columns(self) -> tuple[slice, ...]:
        """The columns of a holding that count the values of each property."""
        ends = list(accumulate(self.widths, initial=1))
        return tuple(slice(*both) for both in pairwise(ends))

    def held(self, splits: Numbers) -> Amounts:
        """What each split holds."""
        dealt: Amounts = np.stack([self.holdings[splits == split].sum(axis=0) for split in range(SPLIT_COUNT)])
        return self.placed + dealt

    def cost(self, split: int | Numbers, held: Amounts) -> Amounts:
        """The cost of what a split holds, vectorised over holdings and splits."""
        pairs, rooms, total, weights = held[..., 0], self.rooms[split], self.total, self.weights
        off = np.abs(pairs / max(total[0], 1) - self.targets[split]) / 2
        beyond = np.maximum(pairs - np.maximum(rooms, self.placed[split, 0]), 0)
        mixes = sum(
            weight * _distance(held[..., columns], total[columns])
            for weight, columns in zip(weights.mixes, self.columns, strict=True)
        )
        short = np.maximum(LEAST * rooms * (split != TRAIN) - pairs, 0) / max(total[0], 1)
        empty = (pairs <= 0) & (rooms > 0)
        found: Amounts = weights.size * off + mixes / SPLIT_COUNT + OVER * beyond + SHORT * short + EMPTY[split] * empty
        return found

    def felt(self, splits: Numbers) -> Amounts:
        """The cost of each community in each split apart from what it holds: its links and the random tastes."""
        near = self.weights.leakage * self.near.felt(self._all(splits), NEAR_COST)
        cuts = self.weights.cuts * self.crossing.felt(self._all(splits), CUT_COST)
        return (near + cuts)[:, : len(splits)] + self.tastes.T

    def value(self, splits: Numbers) -> float:
        """The value of the objective, to be minimised."""
        parts = sum(self.cost(EVERY, self.held(splits)).tolist())
        near = self.weights.leakage * self.near.total(self._all(splits), NEAR_COST)
        cuts = self.weights.cuts * self.crossing.total(self._all(splits), CUT_COST)
        return float(parts) + near + cuts + float(self.tastes[np.arange(len(splits)), splits].sum())

    def linked(self, chosen: Numbers) -> Amounts:
        """The extra cost of links between two communities that are swapped: with train, and between dev and test."""
        count = len(self.holdings) + SPLIT_COUNT
        near = self.weights.leakage * self.near.among(chosen, count)
        cuts = self.weights.cuts * self.crossing.among(chosen, count)
        return np.stack([near + 2 * cuts, 2 * cuts])

    def _all(self, splits: Numbers) -> Numbers:
        return np.concatenate([splits, np.arange(SPLIT_COUNT)])


def _distance(mix: Amounts, every: Amounts) -> Amounts:
    """The total variation distance of a mix of kinds from the overall mix, from 0 to 1."""
    whole = np.maximum(mix.sum(axis=-1, keepdims=True), 1)
    found: Amounts = np.abs(mix / whole - every / max(float(every.sum()), 1)).sum(axis=-1) / 2
    return found


NOTHING: Mapping[Split, int] = {}


def capacity(share: float, total: int) -> int:
    """The most pairs of a total that a share allows, computed exactly in decimal.

    Example:
        >>> capacity(0.29, 100)
        29
    """
    return floor(Decimal(str(share)) * total)


def pack_randomly(
    sizes: Sequence[int], *, test_share: float, dev_share: float, placed: Mapping[Split, int] = NOTHING
) -> list[Split]:
    """The split of each community, given their sizes in pairs in the order in which they are assigned.

    The largest goes to train, and the first that fit start test and dev; a split in which pairs are already `placed`
    has started. Each of the others goes to the split with the largest share of its capacity free, of those it fits: so
    small communities spread over all three, and test and dev never exceed their shares. A dataset of three or more
    communities gets three splits whenever the shares allow it.
    """
    total = sum(sizes) + sum(placed.values())
    rooms = {Split.TEST: capacity(test_share, total), Split.DEV: capacity(dev_share, total)}
    rooms[Split.TRAIN] = total - sum(rooms.values())
    free = Counter(rooms)
    free.subtract(placed)
    found = _first_seats(sizes, free, frozenset(split for split, pairs in placed.items() if pairs))
    free.subtract(_count_taken(sizes, found))
    for index, size in enumerate(sizes):
        if index not in found:
            fitting = [split for split in (Split.TEST, Split.DEV) if size <= free[split]]
            found[index] = max([*fitting, Split.TRAIN], key=lambda split: free[split] / max(rooms[split], 1))
            free[found[index]] -= size
    return [found[index] for index in range(len(sizes))]


def pack(
    sizes: Mapping[int, int],
    anchors: Mapping[int, str],
    *,
    seed: int,
    test_share: float,
    dev_share: float,
    placed: Mapping[Split, int] = NOTHING,
) -> dict[int, Split]:
    """The split of each community, assigned in random order, by its size in pairs.

    The position of a community depends only on the seed and on its anchor, its first statement, so that a change
    elsewhere does not reshuffle it.
    """
    order = sorted(sizes, key=lambda label: (generator(seed, "splits", anchors[label]).random(), label))
    found = pack_randomly([sizes[label] for label in order], test_share=test_share, dev_share=dev_share, placed=placed)
    return dict(zip(order, found, strict=True))


def _first_seats(sizes: Sequence[int], free: Mapping[Split, int], started: frozenset[Split]) -> dict[int, Split]:
    """One community for each split that can have one; test takes precedence over dev if only one of them can."""
    by_size = sorted(range(len(sizes)), key=lambda index: (sizes[index], index))
    train = [] if Split.TRAIN in started else by_size[-1:]
    others = [index for index in range(len(sizes)) if index not in train]
    fit_test, fit_dev = (
        [index for index in others if split not in started and sizes[index] <= free[split]]
        for split in (Split.TEST, Split.DEV)
    )
    dev = [index for index in fit_dev if fit_test != [index]][:1]
    test = [index for index in fit_test if index not in dev][:1]
    return {
        **dict.fromkeys(train, Split.TRAIN),
        **dict.fromkeys(dev, Split.DEV),
        **dict.fromkeys(test, Split.TEST),
    }


def _count_taken(sizes: Sequence[int], found: Mapping[int, Split]) -> Counter[Split]:
    taken: Counter[Split] = Counter()
    for index, split in found.items():
        taken[split] += sizes[index]
    return taken


LARGE = 24
"""Number of the largest communities that are assigned first and may be swapped; they decide nearly everything."""
MOST_STEPS = 256
LEAST_GAIN = 1e-9


def assign_communities(hand: Assignment, starts: Sequence[Numbers]) -> Numbers:
    """The best assignment found from some starts, each the split of every community; ties go to the first.

    Improves each start by moving its largest communities only, then the best result by moving all.
    """
    order = np.argsort(-hand.holdings[:, 0], kind="stable")
    tried = [improve(hand, start, order[:LARGE], LARGE) for start in starts]
    values = [hand.value(splits) for splits in tried]
    return improve(hand, tried[int(np.argmin(np.round(values, 9)))], order, LARGE)


def improve(hand: Assignment, start: Numbers, movable: Numbers, large: int) -> Numbers:
    """Apply the best move or swap until none is an improvement, or for `MOST_STEPS` steps.

    Only the movable communities change their split; the first `large` of them may also be swapped.
    """
    splits, linked = start.copy(), hand.linked(movable[:large])
    for _ in range(MOST_STEPS):
        now = _CurrentState(hand, splits)
        gain, changes = min(
            _best_move(hand, now, movable),
            _best_swap(hand, now, movable[:large], linked),
            key=lambda found: found[0],
        )
        if gain > -LEAST_GAIN:
            break
        for community, split in changes:
            splits[community] = split
    return splits


class _CurrentState:
    """What the splits currently hold and cost, and the additional cost of each community in each split."""

    def __init__(self, hand: Assignment, splits: Numbers) -> None:
        self.splits = splits
        self.held, self.felt = hand.held(splits), hand.felt(splits)
        self.cost = hand.cost(EVERY, self.held)


Change = tuple[float, list[tuple[int, int]]]
NO_CHANGE: Change = (0.0, [])
LESS_OR_MORE = np.array([-1, 1])[:, None, None]


def _best_move(hand: Assignment, now: _CurrentState, movable: Numbers) -> Change:
    """The best move of one community to another split: the change of the objective, and the move."""
    if not len(movable):
        return NO_CHANGE
    own, places, felt = LESS_OR_MORE * hand.holdings[movable], np.arange(len(movable)), now.felt
    changed = hand.cost(EVERY[:, None, None], now.held[:, None, None] + own) - now.cost[:, None, None]
    without, with_it = changed.swapaxes(0, 1)
    at = now.splits[movable]
    change = with_it + without[at, places] + felt[:, movable] - felt[at, movable]
    change[at, places] = 0
    split, place = np.unravel_index(int(change.argmin()), change.shape)
    return float(change[split, place]), [(int(movable[place]), int(split))]


def _best_swap(hand: Assignment, now: _CurrentState, large: Numbers, linked: Amounts) -> Change:
    """The best swap of two communities of different splits: the change of the objective, and the swap."""
    best, held, felt = NO_CHANGE, now.held, now.felt
    for one, other in ((0, 1), (0, 2), (1, 2)):
        ours, theirs = (np.flatnonzero(now.splits[large] == split) for split in (one, other))
        if len(ours) and len(theirs):
            left, right = large[ours], large[theirs]
            given = hand.holdings[right][None] - hand.holdings[left][:, None]
            swapped = np.stack([held[one] + given, held[other] - given])
            first, second = hand.cost(np.array([one, other])[:, None, None], swapped)
            change = first - now.cost[one] + second - now.cost[other]
            change += (felt[other, left] - felt[one, left])[:, None] + (felt[one, right] - felt[other, right])[None]
            change += linked[0 if one == 0 else 1][np.ix_(ours, theirs)]
            place = np.unravel_index(int(change.argmin()), change.shape)
            if change[place] < best[0]:
                best = float(change[place]), [(int(left[place[0]]), other), (int(right[place[1]]), one)]
    return best
