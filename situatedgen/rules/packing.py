"""How whole communities are dealt to test, dev and train."""

from collections.abc import Iterable, Sequence
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

    The largest is train's. Of the others, each that still fits goes to test, each that then still fits to
    dev, and train takes the rest. One that fits dev is held back from test unless test has no other: so a
    dataset of three communities or more has three splits wherever the shares allow it, and no share is ever
    exceeded.
    """
    test_room, dev_room = room(test_share, sum(sizes)), room(dev_share, sum(sizes))
    order = _without(range(len(sizes)), _largest(sizes))
    held = _held_for_dev(sizes, order, test_room, dev_room)
    test = _filled(sizes, _without(order, held), test_room)
    dev = _filled(sizes, _without(order, test), dev_room)
    return [
        Split.TEST if index in test else Split.DEV if index in dev else Split.TRAIN
        for index in range(len(sizes))
    ]


def _largest(sizes: Sequence[int]) -> set[int]:
    """The largest community, the last of equals; none of none."""
    return {max(range(len(sizes)), key=lambda index: (sizes[index], index))} if sizes else set()


def _held_for_dev(sizes: Sequence[int], order: Sequence[int], test_room: int, dev_room: int) -> set[int]:
    """The last community that fits dev and leaves test one that fits; none when there is none."""
    fit_test = {index for index in order if sizes[index] <= test_room}
    fit_dev = [index for index in order if sizes[index] <= dev_room and fit_test - {index}]
    return set(fit_dev[-1:])


def _filled(sizes: Sequence[int], order: Iterable[int], room: int) -> set[int]:
    """The communities that fit into the room, taken in order, those too big for what is left passed over."""
    taken: set[int] = set()
    for index in order:
        if sizes[index] <= room:
            taken.add(index)
            room -= sizes[index]
    return taken


def _without(order: Iterable[int], gone: set[int]) -> list[int]:
    return [index for index in order if index not in gone]
