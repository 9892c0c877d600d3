"""What a baseline may use beside its case: training examples, chance, and vectors of keywords."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from situatedgen.baselines.cases import Case, Lesson
from situatedgen.models.batches import check_vectors
from situatedgen.models.roles import Encoder


@dataclass(frozen=True)
class Vectors:
    """Vectors of unit length, a row a keyword."""

    numbers: dict[str, int]
    matrix: NDArray[np.float32]

    def of(self, keywords: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of keywords, in their order."""
        return self.matrix[[self.numbers[keyword] for keyword in keywords]]


@dataclass(frozen=True)
class Aids:
    """The training examples, the seed, and an encoder that is loaded only when a baseline asks for vectors."""

    lessons: Sequence[Lesson]
    cases: Sequence[Case]
    seed: int
    encoder: Callable[[], Encoder]

    @cached_property
    def vectors(self) -> Vectors:
        """The vector of every keyword of the training examples and the cases; each is encoded once."""
        given = [*(lesson.keywords for lesson in self.lessons), *(case.keywords for case in self.cases)]
        keywords = sorted({keyword for each in given for keyword in each})
        matrix = self.encoder().encode(keywords)
        check_vectors(matrix, keywords)
        return Vectors({keyword: number for number, keyword in enumerate(keywords)}, matrix)
