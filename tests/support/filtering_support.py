"""Pools and models for tests of filtering, in which it is known what there is to find."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from situatedgen.filtering.pool import POOLS, Pool, Rows, Scores, pool_of
from situatedgen.seeds import generator

TELL = "verily"


def planted_pool(items: int, *, wrong: int, share: float) -> Pool:
    """Items whose wrong candidates, but for the first three, give themselves away by a word in a share of all cases."""
    table = [
        (f"{item:05d}", f"group {item // 5}", number, "A context.", _text(item, number, share))
        for item in range(items)
        for number in range(wrong + 1)
    ]
    return pool_of(POOLS.frame(table), wrong=1, population=wrong)


def _text(item: int, number: int, share: float) -> str:
    tells = number > 3 and generator(0, str(item), str(number)).random() < share
    return f"Ending {number} of {item}{f', {TELL}' if tells else ''}."


@dataclass(frozen=True)
class TellModel:
    """A linear model of one feature, whether a word stands in a candidate, and of noise that it cannot learn from."""

    word: str = TELL
    noise: float = 0.0

    @property
    def decides(self) -> str:
        """Its only member."""
        return "tell"

    @property
    def identity(self) -> str:
        """Its settings."""
        return f"tell {self.word} {self.noise}"

    def fit(self, pool: Pool, questions: Rows, *, seed: int) -> "TellJudge":
        """The weight of the word: how much oftener right candidates have it than wrong ones."""
        has = np.asarray([self.word in text for text in pool.second], dtype=np.float32)
        weight = has[questions[:, 0]].mean() - has[questions[:, 1:]].mean()
        dither = np.random.default_rng(seed).normal(size=len(has)).astype(np.float32)
        return TellJudge(weight * has + self.noise * dither)


@dataclass(frozen=True)
class TellJudge:
    """What the model says of every candidate."""

    said: NDArray[np.float32]

    def scores(self, rows: Rows) -> Scores:
        """The score of each."""
        return {"tell": self.said[rows]}
