"""AFLite (Le Bras et al. 2020): drop the questions that linear models on embeddings answer too reliably."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from situatedgen.filtering.pool import Rows, accuracy, parts
from situatedgen.params import Params

Vectors = NDArray[np.float32]


class AfliteParams(Params):
    """Parameters of Algorithm 1 of the AFLite paper."""

    partitions: int = Field(64, ge=1, description="Random partitions per round (m).")
    train_share: float = Field(0.8, gt=0, lt=1, description="Share of the questions that a model trains on.")
    slice_share: float = Field(
        0.1, gt=0, lt=1, description="Maximum share of the original questions dropped per round."
    )
    threshold: float = Field(
        0.75, gt=0, le=1, description="Share of correct answers from which a question counts as predictable."
    )
    min_share: float = Field(0.25, ge=0, lt=1, description="Minimum share of the questions to keep.")
    ridge: float = Field(1e-2, gt=0, description="L2 regularisation, added to the diagonal per question.")
    steps: int = Field(8, ge=1, description="Steps of the logistic regression.")
    seed: int = Field(0, ge=0, description="Seed of the partitions.")


@dataclass(frozen=True, slots=True)
class Round:
    """Result of a round: held-out accuracy of the linear models, and the number of questions dropped."""

    number: int
    accuracy: float
    questions: int
    left_out: int
    seconds: float


@dataclass(frozen=True)
class Lite:
    """The remaining items and all rounds."""

    items: Rows
    history: tuple[Round, ...]


def aflite(
    groups: Sequence[str],
    vectors: Vectors,
    params: AfliteParams,
    *,
    listener: Callable[[Round], None] = lambda _: None,
) -> Lite:
    """Drop predictable items, slice by slice, and return those that remain.

    Each item has a group and, in `vectors`, the embeddings of its answers, the right one first.
    """
    items, history, is_over = np.arange(len(groups)), list[Round](), False
    most, fewest = max(1, round(params.slice_share * len(groups))), round(params.min_share * len(groups))
    while not is_over:
        began = time.perf_counter()
        left = [groups[item] for item in items.tolist()]
        share, correct = predictability(left, vectors[items], params, purpose=str(len(history)))
        order = np.argsort(-share, kind="stable")[:most]
        going = order[share[order] >= params.threshold]
        going = going[: max(0, len(items) - fewest)]
        history.append(Round(len(history), correct, len(items), len(going), round(time.perf_counter() - began, 3)))
        listener(history[-1])
        items = np.delete(items, going)
        is_over = len(going) < most or len({groups[item] for item in items.tolist()}) < 2
    return Lite(items, tuple(history))


def predictability(
    groups: Sequence[str], vectors: Vectors, params: AfliteParams, *, purpose: str
) -> tuple[Vectors, float]:
    """Share of correct answers per item while held out, and the accuracy over all items."""
    differences = (vectors[:, :1] - vectors[:, 1:]).astype(np.float64)
    rights, times = np.zeros(len(groups)), np.zeros(len(groups))
    for number in range(params.partitions):
        train, held = parts(groups, train_share=params.train_share, seed=params.seed, purpose=f"{purpose} {number}")
        if len(train) and len(held):
            weights = fit_linear(differences[train].reshape(-1, differences.shape[2]), params)
            scores = (vectors[held] @ weights).astype(np.float32)
            rights[held] += [accuracy(row[None, :]) for row in scores]
            times[held] += 1
    share = np.divide(rights, times, out=np.zeros(len(groups)), where=times > 0)
    return share.astype(np.float32), round(float(rights.sum() / max(times.sum(), 1)), 6)


def fit_linear(differences: NDArray[np.float64], params: AfliteParams) -> NDArray[np.float64]:
    """Weights of a logistic regression that scores right answers above wrong ones, given their differences.

    Each step divides by an upper bound of the curvature, a quarter of XᵀX (Böhning 1992), so that it never overshoots.
    """
    ridge = params.ridge * len(differences)
    bound = differences.T @ differences / 4 + ridge * np.eye(differences.shape[1])
    inverse = np.linalg.inv(bound)
    weights = np.zeros(differences.shape[1])
    for _ in range(params.steps):
        wrong = 1 / (1 + np.exp(np.clip(differences @ weights, -30, 30)))
        weights += inverse @ (differences.T @ wrong - ridge * weights)
    return weights
