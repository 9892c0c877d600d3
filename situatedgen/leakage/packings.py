"""What random packings of the same communities would have given: the whole certificate, as a mean over seeds."""

from dataclasses import dataclass

import numpy as np

from situatedgen.leakage.averaging import averaged
from situatedgen.leakage.certificate import Certificate
from situatedgen.leakage.certifying import Cosines, certificate
from situatedgen.leakage.sheets import NUMBER, OUT, TRAIN, Numbers, Sheet
from situatedgen.rules.packing import packed

PACKINGS = 5


@dataclass(frozen=True, slots=True, eq=False)
class Communities:
    """The community of each sentence of a sheet (-1: none), and each sentence's nearest in every community."""

    of_sentence: Numbers
    near: Cosines

    def __len__(self) -> int:
        """How many communities there are."""
        return int(self.near.shape[1])


def random_packings(
    sheet: Sheet, communities: Communities, shares: tuple[float, float, float], packings: int = PACKINGS
) -> Certificate | None:
    """The mean certificate of communities dealt at random, within the same shares; nothing where there are none."""
    if not len(communities) or not packings:
        return None
    return averaged([_packing(sheet, communities, shares, seed) for seed in range(packings)])


def _packing(sheet: Sheet, communities: Communities, shares: tuple[float, float, float], seed: int) -> Certificate:
    split = _dealt(sheet, communities, shares, seed)
    sides = [communities.of_sentence[side] for side in (sheet.left, sheet.right)]
    # The last place is that of sentences without a community.
    left, right = (np.append(split, OUT)[side] for side in sides)
    in_train = np.flatnonzero(split == TRAIN)
    near = communities.near[:, in_train].max(axis=1, initial=np.float32(-1))
    return certificate(sheet, np.where(left == right, left, OUT), near, shares=shares)


def _dealt(sheet: Sheet, communities: Communities, shares: tuple[float, float, float], seed: int) -> Numbers:
    """The split of each community, by the number of pairs in it."""
    left, right = communities.of_sentence[sheet.left], communities.of_sentence[sheet.right]
    inside = left[(left == right) & (left >= 0)]
    sizes = np.bincount(inside, minlength=len(communities))
    firsts = {int(label): sheet.names[place] for place, label in reversed(list(enumerate(communities.of_sentence)))}
    held = {label: int(size) for label, size in enumerate(sizes) if size}
    found = packed(held, firsts, seed=seed, dev_share=shares[1], test_share=shares[2])
    split = np.full(len(communities), OUT, np.int64)
    for label, name in found.items():
        split[label] = NUMBER[name]
    return split
