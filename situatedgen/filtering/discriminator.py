"""What a model must do to take part in filtering."""

from collections.abc import Mapping
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from situatedgen.filtering.pool import Pool, Rows

Scores: TypeAlias = Mapping[str, NDArray[np.float32]]
"""What each member of a committee says of candidates: the higher, the more it believes one is right."""


class Judge(Protocol):
    """A discriminator that has learned."""

    def scores(self, rows: Rows) -> Scores:
        """The scores of candidates, by member; they do not depend on what else is asked."""


class Discriminator(Protocol):
    """One model, or a committee of which one member decides; it learns anew in every iteration."""

    @property
    def decides(self) -> str:
        """The member whose scores choose what is replaced, and whose accuracy is to fall."""

    @property
    def identity(self) -> str:
        """All that its answers depend on beside the pool: what it is, and its settings."""

    def fit(self, pool: Pool, questions: Rows, *, seed: int) -> Judge:
        """A judge that learned from questions: a row an item, the right candidate first."""
