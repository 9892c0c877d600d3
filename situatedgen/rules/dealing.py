"""Deals communities well: random packings, each improved by moves and swaps until nothing better is near."""

from collections.abc import Sequence

import numpy as np

from situatedgen.rules.objective import EVERY, Amounts, Hand, Numbers

LARGE = 24
"""So many of the largest communities are dealt first, and may be swapped: they decide nearly all."""
MOST_STEPS = 256
LEAST_GAIN = 1e-9


def well_dealt(hand: Hand, starts: Sequence[Numbers]) -> Numbers:
    """The best dealing that is found from some starts, each the split of every community; of equals the first.

    Each start is improved by its largest communities; the best of them then by all.
    """
    order = np.argsort(-hand.holdings[:, 0], kind="stable")
    tried = [improved(hand, start, order[:LARGE], LARGE) for start in starts]
    values = [hand.value(splits) for splits in tried]
    return improved(hand, tried[int(np.argmin(np.round(values, 9)))], order, LARGE)


def improved(hand: Hand, start: Numbers, movable: Numbers, large: int) -> Numbers:
    """A dealing changed by the best move or swap again and again until none is better, or for so many steps.

    Only the movable communities change their split; the first `large` of them may also be swapped.
    """
    splits, linked = start.copy(), hand.linked(movable[:large])
    for _ in range(MOST_STEPS):
        now = _Now(hand, splits)
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


class _Now:
    """What the splits of a dealing hold and cost, and what each community costs in each of them beyond that."""

    def __init__(self, hand: Hand, splits: Numbers) -> None:
        self.splits = splits
        self.held, self.felt = hand.held(splits), hand.felt(splits)
        self.cost = hand.cost(EVERY, self.held)


Change = tuple[float, list[tuple[int, int]]]
NO_CHANGE: Change = (0.0, [])
LESS_OR_MORE = np.array([-1, 1])[:, None, None]


def _best_move(hand: Hand, now: _Now, movable: Numbers) -> Change:
    """What the best move of one community to another split changes, and which it is."""
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


def _best_swap(hand: Hand, now: _Now, large: Numbers, linked: Amounts) -> Change:
    """What the best swap of two communities of different splits changes, and which it is."""
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
