"""How whole communities are dealt to test, dev and train."""

from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from math import floor

from situatedgen.seeds import generator
from situatedgen.vocabulary import Split

NOTHING: Mapping[Split, int] = {}


def room(share: float, total: int) -> int:
    """The most pairs of a total that a share allows, by its decimal digits.

    Example:
        >>> room(0.29, 100)
        29
    """
    return floor(Decimal(str(share)) * total)


def dealt(
    sizes: Sequence[int], *, test_share: float, dev_share: float, placed: Mapping[Split, int] = NOTHING
) -> list[Split]:
    """The split of each community, given their sizes in pairs in the order in which they are dealt.

    The largest is train's, and the first that fit start test and dev; a split in which pairs are `placed`
    already has started. Each of the others goes where the largest part of a share is still free, of the splits
    that it fits: so small communities spread over all three, and dealing never exceeds the shares of test and
    dev. A dataset of three communities or more has three splits wherever the shares allow it.
    """
    total = sum(sizes) + sum(placed.values())
    rooms = {Split.TEST: room(test_share, total), Split.DEV: room(dev_share, total)}
    rooms[Split.TRAIN] = total - sum(rooms.values())
    free = Counter(rooms)
    free.subtract(placed)
    found = _first_seats(sizes, free, frozenset(split for split, pairs in placed.items() if pairs))
    free.subtract(_taken(sizes, found))
    for index, size in enumerate(sizes):
        if index not in found:
            fitting = [split for split in (Split.TEST, Split.DEV) if size <= free[split]]
            found[index] = max([*fitting, Split.TRAIN], key=lambda split: free[split] / max(rooms[split], 1))
            free[found[index]] -= size
    return [found[index] for index in range(len(sizes))]


def packed(
    sizes: Mapping[int, int],
    anchors: Mapping[int, str],
    *,
    seed: int,
    test_share: float,
    dev_share: float,
    placed: Mapping[Split, int] = NOTHING,
) -> dict[int, Split]:
    """The split of each community, dealt in random order, by its size in pairs.

    A community's place in the order comes from the seed and its anchor, its first statement, alone, so that a
    change elsewhere does not shuffle it.
    """
    order = sorted(sizes, key=lambda label: (generator(seed, "splits", anchors[label]).random(), label))
    found = dealt([sizes[label] for label in order], test_share=test_share, dev_share=dev_share, placed=placed)
    return dict(zip(order, found, strict=True))


def _first_seats(sizes: Sequence[int], free: Mapping[Split, int], started: frozenset[Split]) -> dict[int, Split]:
    """One community for each split that can have one: test comes before dev where only one of them can."""
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


def _taken(sizes: Sequence[int], found: Mapping[int, Split]) -> Counter[Split]:
    taken: Counter[Split] = Counter()
    for index, split in found.items():
        taken[split] += sizes[index]
    return taken
