"""How much of what is asked was never met together before: words, pairs and triples."""

from collections.abc import Iterable, Set
from dataclasses import dataclass
from itertools import combinations

Combination = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Novelty:
    """How many distinct combinations of a size there are, and how many of them are new."""

    size: int
    distinct: int
    novel: int

    @property
    def share(self) -> float:
        """The share of the distinct combinations that is new, in per cent; none of nothing is new."""
        return 100 * self.novel / self.distinct if self.distinct else 0.0


def combinations_of(sets: Iterable[Set[str]], size: int) -> set[Combination]:
    """The distinct combinations of so many words within any one set, each sorted.

    Example:
        >>> sorted(combinations_of([{"dog", "ball", "park"}, {"ball", "dog"}], 2))
        [('ball', 'dog'), ('ball', 'park'), ('dog', 'park')]
    """
    return {each for words in sets for each in combinations(sorted(words), size)}


def novelty(sets: Iterable[Set[str]], seen: Iterable[Set[str]], *, size: int) -> Novelty:
    """How many combinations of so many words within `sets` never stand together within one of `seen`.

    A set that was seen may be large, such as all words of a text: only the words that are asked about are combined.

    Example:
        >>> novelty([{"dog", "ball"}], [{"dog", "cat"}, {"ball"}], size=2)
        Novelty(size=2, distinct=1, novel=1)
    """
    asked = combinations_of(sets, size)
    words = frozenset(word for each in asked for word in each)
    new = asked - combinations_of((words & met for met in seen), size)
    return Novelty(size, len(asked), len(new))
