"""A graph of what is known: words, and the relations between them, as in ConceptNet."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from situatedgen.errors import RecordError, SettingsError

Link = tuple[str, ...]
"""The relations on the way from one word to another."""
NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Knowledge:
    """The relations between each two words, in either direction, and the neighbours of each word."""

    relations: dict[tuple[str, str], frozenset[str]]
    neighbours: dict[str, frozenset[str]] = field(default_factory=dict)

    def one_hop(self, left: str, right: str) -> list[Link]:
        """Each relation that links two words directly."""
        return [(relation,) for relation in sorted(self._between(left, right))]

    def two_hops(self, left: str, right: str) -> list[Link]:
        """The two relations of each path that links two words by way of a third."""
        shared = self.neighbours.get(left, NOTHING) & self.neighbours.get(right, NOTHING)
        return [
            (first, second)
            for middle in sorted(shared - {left, right})
            for first in sorted(self._between(left, middle))
            for second in sorted(self._between(middle, right))
        ]

    def _between(self, left: str, right: str) -> frozenset[str]:
        return self.relations.get(_pair(left, right), NOTHING)


def read_knowledge(path: Path) -> Knowledge:
    """The graph of a file with a line `relation TAB head TAB tail` for each fact; further columns are not read.

    Raises:
        SettingsError: the file cannot be read.
        RecordError: a line has fewer than three fields.
    """
    found: dict[tuple[str, str], set[str]] = {}
    near: dict[str, set[str]] = {}
    for relation, head, tail in _facts(path):
        found.setdefault(_pair(head, tail), set()).add(relation)
        near.setdefault(head, set()).add(tail)
        near.setdefault(tail, set()).add(head)
    return Knowledge(
        {pair: frozenset(names) for pair, names in found.items()},
        {word: frozenset(others) for word, others in near.items()},
    )


def _facts(path: Path) -> Iterator[tuple[str, str, str]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise SettingsError(f"the graph {path} cannot be read: {error}") from error
    for number, line in enumerate(lines, start=1):
        fields = [each.strip() for each in line.split("\t")]
        if len(fields) < 3:
            raise RecordError(
                f"{path}, line {number}: expected relation, head and tail between tabs, found {line!r:.80}"
            )
        if fields[1].lower() != fields[2].lower():
            yield fields[0], fields[1].lower(), fields[2].lower()


def _pair(left: str, right: str) -> tuple[str, str]:
    return (left, right) if left < right else (right, left)
