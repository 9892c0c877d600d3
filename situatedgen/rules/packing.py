"""How whole communities are dealt to test, dev and train."""

from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from math import floor

from situatedgen.vocabulary import Split


def room(share: float, total: int) -> int:
    """The most pairs of a total that a share allows, by its decimal digits.

    Example:
        >>> room(0.29, 100)
        29
    """
    return floor(Decimal(str(share)) * total)


def dealt(sizes: Sequence[int], *, test_share: float, dev_share: float) -> list[Split]:
    """The split of each community, given their sizes in pairs in the order in which they are dealt.

    The largest is train's, and the first that fit start test and dev. Each of the others goes where the
    largest part of a share is still free, of the splits that it fits: so small communities spread over all
    three, and the shares of test and dev are never exceeded. A dataset of three communities or more has three
    splits wherever the shares allow it.
    """
    rooms = {Split.TEST: room(test_share, sum(sizes)), Split.DEV: room(dev_share, sum(sizes))}
    rooms[Split.TRAIN] = sum(sizes) - sum(rooms.values())
    found = _first_seats(sizes, rooms)
    free = Counter(rooms)
    free.subtract(_taken(sizes, found))
    for index, size in enumerate(sizes):
        if index not in found:
            fitting = [split for split in (Split.TEST, Split.DEV) if size <= free[split]]
            found[index] = max([*fitting, Split.TRAIN], key=lambda split: free[split] / max(rooms[split], 1))
            free[found[index]] -= size
    return [found[index] for index in range(len(sizes))]


def _first_seats(sizes: Sequence[int], rooms: Mapping[Split, int]) -> dict[int, Split]:
    """One community for each split that can have one: test comes before dev where only one of them can."""
    if not sizes:
        return {}
    largest = max(range(len(sizes)), key=lambda index: (sizes[index], index))
    others = [index for index in range(len(sizes)) if index != largest]
    fit_test = [index for index in others if sizes[index] <= rooms[Split.TEST]]
    fit_dev = [index for index in others if sizes[index] <= rooms[Split.DEV]]
    dev = [index for index in fit_dev if fit_test != [index]][:1]
    test = [index for index in fit_test if index not in dev][:1]
    return {largest: Split.TRAIN, **dict.fromkeys(dev, Split.DEV), **dict.fromkeys(test, Split.TEST)}


def _taken(sizes: Sequence[int], found: Mapping[int, Split]) -> Counter[Split]:
    taken: Counter[Split] = Counter()
    for index, split in found.items():
        taken[split] += sizes[index]
    return taken
