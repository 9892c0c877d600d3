"""What the checks say of many pairs: each two views are compared once, however many pairs have them."""

from collections.abc import Callable, Hashable, Mapping, Sequence, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

from situatedgen.screening.checks import Check, checks
from situatedgen.screening.clauses import Clause
from situatedgen.screening.comparing import outline_of
from situatedgen.screening.doubting import ALIKE, MOST, burden, difference, imbalance
from situatedgen.screening.facts import Words

Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]
Amounts = NDArray[np.float64]
Compare = Callable[[Any, Any], float]  # Any: what a view gives


class Pairs:
    """Pairs of clauses, given by the numbers of their two sides; each two views are compared once."""

    def __init__(self, clauses: Sequence[Clause], left: Numbers, right: Numbers) -> None:
        self._clauses, self._left, self._right = clauses, left, right
        self._views: dict[object, tuple[list[Hashable], Numbers]] = {}

    def __len__(self) -> int:
        return len(self._left)

    def compared(self, view: Callable[[Clause], Hashable], compare: Compare, among: Numbers) -> Amounts:
        """What a comparison of views gives for each of some pairs."""
        views, codes = self._coded(view)
        both = codes[self._left[among]] * len(views) + codes[self._right[among]]
        distinct, where = np.unique(both, return_inverse=True)
        found = [compare(views[each // len(views)], views[each % len(views)]) for each in distinct.tolist()]
        amounts: Amounts = np.array(found, dtype=np.float64)[where.reshape(-1)]
        return amounts

    def _coded(self, view: Callable[[Clause], Hashable]) -> tuple[list[Hashable], Numbers]:
        if view not in self._views:
            codes: dict[Hashable, int] = {}
            coded = [codes.setdefault(view(clause), len(codes)) for clause in self._clauses]
            self._views[view] = list(codes), np.array(coded, dtype=np.int64)
        return self._views[view]


def failed(pairs: Pairs, stated: Set[Words], must_pass: Set[str]) -> dict[Check, Flags]:
    """For each check, whether each pair fails it; one that failed what it must pass is not looked at any more."""
    found: dict[Check, Flags] = {}
    among = np.arange(len(pairs))
    for check in checks(stated):
        fails = pairs.compared(check.view, check.fails, among).astype(np.bool_)
        found[check] = np.zeros(len(pairs), dtype=np.bool_)
        found[check][among[fails]] = True
        among = among[~fails] if check.verdict.value in must_pass else among
    return found


def doubts(pairs: Pairs, found: Mapping[Check, Flags], similarity: Amounts) -> NDArray[np.float32]:
    """How doubtful each pair is: by how unlike its two sides are, and the more the more checks it fails."""
    everywhere = np.arange(len(pairs))
    unlike = pairs.compared(outline_of, difference, everywhere) + pairs.compared(burden, imbalance, everywhere)
    sure = 1 - np.clip(unlike + np.maximum(0, ALIKE - similarity), 0, MOST)
    for check, flags in found.items():
        sure[flags] *= 1 - check.weight
    return (1 - sure).astype(np.float32)
