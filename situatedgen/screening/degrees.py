"""Which pairs are left when a sentence may stand in only so many."""

from collections import Counter
from collections.abc import Sequence

Edge = tuple[str, str]


def within_degree(edges: Sequence[Edge], most: int) -> list[bool]:
    """Whether each pair is kept, the best first in the sequence, so that no sentence stands in more than `most`.

    A pair is kept whenever it stands nowhere before and neither of its sentences is full by then; so none could be
    added afterwards.

    Example:
        >>> within_degree([("a", "b"), ("a", "c"), ("b", "c")], 1)
        [True, False, False]
    """
    degrees: Counter[str] = Counter()
    seen: set[frozenset[str]] = set()
    kept = []
    for left, right in edges:
        fits = degrees[left] < most and degrees[right] < most and frozenset((left, right)) not in seen
        kept.append(fits)
        seen.add(frozenset((left, right)))
        degrees.update((left, right) if fits else ())
    return kept
