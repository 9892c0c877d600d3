"""Who answered what about which pairs, as numbers: a row a pair, a column a person."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

MISSING = -1
Codes = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Ratings:
    """Answers by number, `MISSING` where a person did not decide; `values` is how many different ones there may be."""

    codes: Codes
    people: tuple[str, ...]
    values: int

    def between(self, left: int, right: int) -> Codes:
        """The answers of two people about the pairs that both decided."""
        two: Codes = self.codes[:, [left, right]]
        both: Codes = two[(two != MISSING).all(axis=1)]
        return both

    @property
    def shared(self) -> Codes:
        """The answers about the pairs that at least two people decided."""
        found: Codes = self.codes[(self.codes != MISSING).sum(axis=1) >= 2]
        return found


def ratings(answers: Iterable[tuple[str, str, str]], people: Sequence[str], values: Sequence[str]) -> Ratings:
    """The numbers of answers given as pair, person and answer; pairs in the order of their keys."""
    given = list(answers)
    rows = {pair: row for row, pair in enumerate(sorted({pair for pair, _, _ in given}))}
    columns: Mapping[str, int] = {person: column for column, person in enumerate(people)}
    codes = np.full((len(rows), len(people)), MISSING, dtype=np.int64)
    for pair, person, answer in given:
        codes[rows[pair], columns[person]] = values.index(answer)
    return Ratings(codes, tuple(people), len(values))
