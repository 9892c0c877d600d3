"""What random packings of the same communities would have given: the whole certificate, as a mean over seeds."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from situatedgen.leakage.averaging import averaged
from situatedgen.leakage.certificate import Certificate
from situatedgen.leakage.certifying import Cosines, certificate
from situatedgen.leakage.sheets import NUMBER, OUT, TRAIN, Numbers, Sheet
from situatedgen.rules.assignment import pack
from situatedgen.vocabulary import Split

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
    sizes, anchors = _sizes(sheet, communities), _anchors(sheet, communities)
    dealings = [pack(sizes, anchors, seed=seed, dev_share=shares[1], test_share=shares[2]) for seed in range(packings)]
    return averaged([_packing(sheet, communities, shares, dealt) for dealt in dealings])


def _packing(
    sheet: Sheet, communities: Communities, shares: tuple[float, float, float], dealt: Mapping[int, Split]
) -> Certificate:
    split = np.full(len(communities), OUT, np.int64)
    for label, name in dealt.items():
        split[label] = NUMBER[name]
    sides = [communities.of_sentence[side] for side in (sheet.left, sheet.right)]
    # The last place is that of sentences without a community.
    left, right = (np.append(split, OUT)[side] for side in sides)
    in_train = np.flatnonzero(split == TRAIN)
    near = communities.near[:, in_train].max(axis=1, initial=np.float32(-1))
    return certificate(sheet, np.where(left == right, left, OUT), near, shares=shares)


def _sizes(sheet: Sheet, communities: Communities) -> dict[int, int]:
    """The number of pairs in each community that has any."""
    left, right = communities.of_sentence[sheet.left], communities.of_sentence[sheet.right]
    sizes = np.bincount(left[(left == right) & (left >= 0)], minlength=len(communities))
    return {label: size for label, size in enumerate(sizes.tolist()) if size}


def _anchors(sheet: Sheet, communities: Communities) -> dict[int, str]:
    """The first sentence of each community."""
    labels, firsts = np.unique(communities.of_sentence, return_index=True)
    return {label: sheet.names[first] for label, first in zip(labels.tolist(), firsts.tolist(), strict=True)}
